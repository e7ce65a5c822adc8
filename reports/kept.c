#include "kept.h"

#include "escape.h"

#include <inttypes.h>
#include <string.h>

/* Longer text is cut: a report is read by people and by tools that hold it in memory. */
#define TEXT_MAX 4096

char *sp_safe_text(const char *text)
{
    char *redacted = sp_redact(text == NULL ? "" : text);
    char *clean = sp_utf8_clean(redacted, TEXT_MAX);
    bson_free(redacted);
    return clean;
}

static bson_t *copy_or_empty(const bson_t *document)
{
    return document == NULL ? bson_new() : bson_copy(document);
}

sp_kept_t *sp_kept_new(const sp_finding_t *finding)
{
    sp_kept_t *kept = bson_malloc0(sizeof *kept);
    kept->scene = finding->scene;
    kept->check = finding->check;
    kept->verdict = finding->verdict;
    kept->rule = sp_safe_text(finding->rule);
    kept->test = copy_or_empty(finding->test);
    kept->expected = copy_or_empty(finding->expected);
    kept->observed = copy_or_empty(finding->observed);
    kept->again = finding->again;
    return kept;
}

void sp_kept_free(sp_kept_t *kept)
{
    if (kept == NULL)
        return;
    bson_free(kept->rule);
    bson_destroy(kept->test);
    bson_destroy(kept->expected);
    bson_destroy(kept->observed);
    bson_free(kept);
}

int sp_kept_compare_place(const sp_kept_t *kept, uint64_t scene, uint32_t check)
{
    if (kept->scene != scene)
        return kept->scene < scene ? -1 : 1;
    return kept->check == check ? 0 : kept->check < check ? -1 : 1;
}

int sp_kept_compare_content(const sp_kept_t *left, const sp_kept_t *right)
{
    if (left->verdict != right->verdict)
        return left->verdict < right->verdict ? -1 : 1;
    int order = strcmp(left->rule, right->rule);
    if (order == 0)
        order = bson_compare(left->test, right->test);
    if (order == 0)
        order = bson_compare(left->expected, right->expected);
    if (order == 0)
        order = bson_compare(left->observed, right->observed);
    return order;
}

char *sp_finding_id(const char *area, const sp_kept_t *kept)
{
    return bson_strdup_printf("%s-%" PRIu64 "-%" PRIu32, area, kept->scene, kept->check);
}

char *sp_case_file(const char *area, const sp_kept_t *kept)
{
    return bson_strdup_printf("cases/%s-%" PRIu64 "-%" PRIu32 ".json", area, kept->scene,
                              kept->check);
}
