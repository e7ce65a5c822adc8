/*
 * A finding that was kept.
 */
#ifndef SHARDPROOF_KEPT_H
#define SHARDPROOF_KEPT_H

#include "report.h"

/* Owns all it points to; nothing of it is NULL. */
typedef struct sp_kept {
    uint64_t scene;
    uint32_t check;
    sp_verdict_t verdict;
    char *rule;
    bson_t *test;
    bson_t *expected;
    bson_t *observed;
    sp_again_t again;
} sp_kept_t;

/* A copy of `finding`, its texts made safe. */
sp_kept_t *sp_kept_new(const sp_finding_t *finding);
void sp_kept_free(sp_kept_t *kept); /* NULL is fine */

/* By scene and check: below, equal to or above 0. */
int sp_kept_compare_place(const sp_kept_t *kept, uint64_t scene, uint32_t check);

/* By all but the place. */
int sp_kept_compare_content(const sp_kept_t *left, const sp_kept_t *right);

/* `text`, or "" for NULL, without passwords, in valid UTF-8 and not longer than reports want it. To
 * be freed with bson_free. */
char *sp_safe_text(const char *text);

/* "AREA-SCENE-CHECK", to be freed with bson_free. */
char *sp_finding_id(const char *area, const sp_kept_t *kept);

/* "cases/AREA-SCENE-CHECK.json", to be freed with bson_free. */
char *sp_case_file(const char *area, const sp_kept_t *kept);

#endif
