/*
 * Updates that are pipelines; for update.c alone.
 */
#ifndef SHARDPROOF_UPDATE_PIPELINE_H
#define SHARDPROOF_UPDATE_PIPELINE_H

#include "update_edit.h"
#include "version.h"

/* As sp_update_check. */
bool sp_pipeline_check(const sp_value_t *pipeline, sp_version_t version, sp_error_t *error);

/* What a pipeline that was checked makes of the object `document`; _id is not looked at. */
bool sp_pipeline_run(sp_arena_t *arena, const sp_value_t *pipeline, const sp_value_t *document,
                     sp_value_t *result, sp_error_t *error);

#endif
