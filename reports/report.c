#include "report_model.h"

#include "escape.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The spec and the command go into a shell again, so they are cleaned only where they become JSON.
 */
static char *redacted_text(const char *text)
{
    return sp_redact(text == NULL ? "" : text);
}

sp_report_t *sp_report_new(const sp_report_head_t *head)
{
    sp_report_t *report = bson_malloc0(sizeof *report);
    report->seed = head->seed;
    report->server_kind = sp_safe_text(head->server_kind);
    report->server_version = sp_safe_text(head->server_version);
    report->server_spec = redacted_text(head->server_spec);
    report->command = redacted_text(head->command);
    report->started = time(NULL);
    clock_gettime(CLOCK_MONOTONIC, &report->origin);
    return report;
}

static void area_free(sp_area_t *area)
{
    for (int group = 0; group < SP_GROUPS; group++) {
        sp_bucket_t *bucket = &area->buckets[group];
        for (size_t i = 0; i < bucket->size; i++)
            sp_kept_free(bucket->kept[i]);
    }
    sp_causes_clear(&area->causes);
    bson_free(area->note);
    sp_tally_free(area->kinds);
    bson_free(area);
}

void sp_report_free(sp_report_t *report)
{
    if (report == NULL)
        return;
    for (size_t i = 0; i < report->areas_size; i++)
        area_free(report->areas[i]);
    bson_free(report->server_kind);
    bson_free(report->server_version);
    bson_free(report->server_spec);
    bson_free(report->command);
    bson_free(report->folder);
    bson_free(report);
}

/* Names become file names, and - parts them from the numbers in these. */
static bool area_name_ok(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= SP_AREA_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

/* The area of that name, made where it is missing. */
static sp_area_t *area_of(sp_report_t *report, const char *name)
{
    size_t at = 0;
    while (at < report->areas_size && strcmp(report->areas[at]->name, name) < 0)
        at++;
    if (at < report->areas_size && strcmp(report->areas[at]->name, name) == 0)
        return report->areas[at];

    assert(area_name_ok(name));
    assert(report->areas_size < SP_REPORT_AREAS);
    sp_area_t *area = bson_malloc0(sizeof *area);
    memcpy(area->name, name, strlen(name));
    area->kinds = sp_tally_new();
    for (size_t i = report->areas_size; i > at; i--)
        report->areas[i] = report->areas[i - 1];
    report->areas[at] = area;
    report->areas_size++;
    return area;
}

void sp_report_count(sp_report_t *report, const char *area, sp_verdict_t verdict, uint64_t n)
{
    assert((unsigned)verdict < SP_VERDICTS);
    area_of(report, area)->counts[verdict] += n;
}

void sp_report_kinds(sp_report_t *report, const char *area, const sp_tally_t *kinds)
{
    sp_tally_merge(area_of(report, area)->kinds, kinds);
}

static sp_group_t group_of(sp_verdict_t verdict)
{
    if (verdict == SP_INFRASTRUCTURE)
        return SP_GROUP_INFRASTRUCTURE;
    return sp_verdict_differs(verdict) ? SP_GROUP_DIFFERENCES : SP_GROUP_NOTED;
}

/* Where the first finding stands that is not below that place. */
static size_t bucket_search(const sp_bucket_t *bucket, uint64_t scene, uint32_t check)
{
    size_t low = 0, high = bucket->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sp_kept_compare_place(bucket->kept[middle], scene, check) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool bucket_holds(const sp_bucket_t *bucket, uint64_t scene, uint32_t check, size_t at)
{
    return at < bucket->size && sp_kept_compare_place(bucket->kept[at], scene, check) == 0;
}

static void bucket_insert(sp_bucket_t *bucket, size_t at, sp_kept_t *kept)
{
    if (bucket->size == SP_FINDINGS_MAX)
        sp_kept_free(bucket->kept[--bucket->size]);
    for (size_t i = bucket->size; i > at; i--)
        bucket->kept[i] = bucket->kept[i - 1];
    bucket->kept[at] = kept;
    bucket->size++;
}

static void set_kind(sp_area_t *area, sp_finding_kind_t kind)
{
    uint64_t came = 0;
    for (int group = 0; group < SP_GROUPS; group++)
        came += area->buckets[group].came;
    assert(came == 0 || area->kind == kind);
    area->kind = kind;
}

void sp_report_add(sp_report_t *report, const sp_finding_t *finding)
{
    assert((unsigned)finding->verdict < SP_VERDICTS);
    assert(finding->verdict != SP_MATCH);
    sp_area_t *area = area_of(report, finding->area);
    set_kind(area, finding->kind);
    area->counts[finding->verdict]++;
    if (sp_verdict_differs(finding->verdict))
        sp_causes_add(&area->causes, finding);

    sp_bucket_t *bucket = &area->buckets[group_of(finding->verdict)];
    bucket->came++;
    size_t at = bucket_search(bucket, finding->scene, finding->check);
    if (at == SP_FINDINGS_MAX)
        return;

    sp_kept_t *kept = sp_kept_new(finding);
    if (!bucket_holds(bucket, finding->scene, finding->check, at)) {
        bucket_insert(bucket, at, kept);
    } else if (sp_kept_compare_content(kept, bucket->kept[at]) < 0) {
        sp_kept_free(bucket->kept[at]);
        bucket->kept[at] = kept;
    } else {
        sp_kept_free(kept);
    }
}

void sp_report_area_end(sp_report_t *report, const sp_area_end_t *end)
{
    sp_area_t *area = area_of(report, end->area);
    area->scenes = end->scenes;
    area->seconds = isfinite(end->seconds) && end->seconds > 0 ? end->seconds : 0;
    bson_free(area->note);
    area->note = end->note == NULL ? NULL : sp_safe_text(end->note);
}

uint64_t sp_report_total(const sp_report_t *report, const char *area, sp_verdict_t verdict)
{
    assert((unsigned)verdict < SP_VERDICTS);
    uint64_t total = 0;
    for (size_t i = 0; i < report->areas_size; i++) {
        if (area == NULL || strcmp(area, report->areas[i]->name) == 0)
            total += report->areas[i]->counts[verdict];
    }
    return total;
}

int sp_report_exit_status(const sp_report_t *report)
{
    for (int verdict = 0; verdict < SP_VERDICTS; verdict++) {
        if (sp_verdict_differs((sp_verdict_t)verdict) &&
            sp_report_total(report, NULL, (sp_verdict_t)verdict) > 0)
            return 1;
    }
    return sp_report_total(report, NULL, SP_INFRASTRUCTURE) > 0 ? 3 : 0;
}

uint64_t sp_area_answers(const sp_area_t *area)
{
    uint64_t answers = 0;
    for (int verdict = 0; verdict < SP_VERDICTS; verdict++)
        answers += area->counts[verdict];
    return answers;
}

double sp_area_rate(const sp_area_t *area)
{
    return area->seconds > 0 ? (double)sp_area_answers(area) / area->seconds : 0;
}

double sp_report_seconds(const sp_report_t *report)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - report->origin.tv_sec) +
           (double)(now.tv_nsec - report->origin.tv_nsec) / 1e9;
}

bool sp_report_keeps(const sp_report_t *report, const char *area, uint64_t scene, uint32_t check)
{
    for (size_t i = 0; i < report->areas_size; i++) {
        if (strcmp(report->areas[i]->name, area) != 0)
            continue;
        if (sp_causes_keep(&report->areas[i]->causes, scene, check))
            return true;
        for (int group = 0; group < SP_GROUPS; group++) {
            const sp_bucket_t *bucket = &report->areas[i]->buckets[group];
            if (bucket_holds(bucket, scene, check, bucket_search(bucket, scene, check)))
                return true;
        }
    }
    return false;
}

char *sp_replay_command(const sp_report_t *report, const char *file)
{
    const char *folder = report->folder != NULL ? report->folder : ".";
    /* A folder that begins with - would be read as an option. */
    char *path = bson_strdup_printf("%s%s/%s", *folder == '-' ? "./" : "", folder, file);
    char *quoted_path = sp_shell_quote(path);
    char *quoted_spec = sp_shell_quote(report->server_spec);
    char *command =
        bson_strdup_printf("shardproof replay %s --server %s", quoted_path, quoted_spec);
    bson_free(path);
    bson_free(quoted_path);
    bson_free(quoted_spec);
    return command;
}
