/*
 * The case files of an older report in the same folder: a case that the new report does not name
 * must not stay next to it, where `replay` on the folder would take it for a finding of this run.
 */
#ifndef SHARDPROOF_STALE_CASES_H
#define SHARDPROOF_STALE_CASES_H

#include "report.h"

typedef struct sp_stale_cases sp_stale_cases_t;

/* Reads which case files the report in `folder` names; to be called before it is replaced. Only
 * what an older report names can be removed later: other files in that folder are not ours. Where
 * there is no report, or none that can be read, there is nothing to remove. Never NULL. */
sp_stale_cases_t *sp_stale_cases_new(const char *folder);

/* Removes those that `report` does not keep. What cannot be removed is left. */
void sp_stale_cases_remove(const sp_stale_cases_t *stale, const sp_report_t *report);

void sp_stale_cases_free(sp_stale_cases_t *stale);

#endif
