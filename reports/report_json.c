#include "report_model.h"

#include "atomic_file.h"
#include "document_json.h"
#include "escape.h"
#include "stale_cases.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* What a report embeds of one document and of all: tools hold it in memory, and cJSON prints no
 * more than INT_MAX bytes. The case files are whole in any event. */
#define EMBED_MAX       65536
#define EMBED_TOTAL_MAX ((size_t)512 << 20)
#define EMBED_START     1024
#define WORDS_MAX       65536
#define KIND_NAME_MAX   256

typedef struct writer {
    const sp_report_t *report;
    const char *folder;
    size_t embedded;
    bool failed; /* out of memory somewhere; told at the end */
} writer_t;

static cJSON *put(writer_t *writer, cJSON *object, const char *name, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, name, item)) {
        cJSON_Delete(item);
        writer->failed = true;
        return NULL;
    }
    return item;
}

static void put_string(writer_t *writer, cJSON *object, const char *name, const char *text)
{
    char *clean = sp_utf8_clean(text, WORDS_MAX);
    put(writer, object, name, cJSON_CreateString(clean));
    bson_free(clean);
}

/* Written as it is, since a cJSON number is a double and has 53 bits. */
static void put_uint(writer_t *writer, cJSON *object, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put(writer, object, name, cJSON_CreateRaw(text));
}

static void put_double(writer_t *writer, cJSON *object, const char *name, double value)
{
    put(writer, object, name, cJSON_CreateNumber(round(value * 1000) / 1000));
}

/* Extended JSON goes in as text: cJSON can neither read \u0000 nor keep 64-bit numbers. */
static void put_document(writer_t *writer, cJSON *object, const char *name, const bson_t *document)
{
    size_t length;
    char *json = sp_document_json(document, &length);
    if (length <= EMBED_MAX && writer->embedded + length <= EMBED_TOTAL_MAX) {
        writer->embedded += length;
        put(writer, object, name, cJSON_CreateRaw(json));
    } else {
        char *start = sp_utf8_clean(json, EMBED_START);
        cJSON *cut = put(writer, put(writer, object, name, cJSON_CreateObject()), "cut",
                         cJSON_CreateObject());
        put_uint(writer, cut, "bytes", length);
        put(writer, cut, "start", cJSON_CreateString(start));
        bson_free(start);
    }
    bson_free(json);
}

static void put_counts(writer_t *writer, cJSON *object, const char *area)
{
    cJSON *counts = put(writer, object, "counts", cJSON_CreateObject());
    for (int verdict = 0; verdict < SP_VERDICTS; verdict++)
        put_uint(writer, counts, sp_verdict_name((sp_verdict_t)verdict),
                 sp_report_total(writer->report, area, (sp_verdict_t)verdict));
}

static void put_head(writer_t *writer, cJSON *root, bool interrupted)
{
    const sp_report_t *report = writer->report;
    put_string(writer, root, "schema_version", "1");
    cJSON *tool = put(writer, root, "tool", cJSON_CreateObject());
    put_string(writer, tool, "name", "shardproof");
    put_string(writer, tool, "version", SP_VERSION);
    put_string(writer, root, "command", report->command);
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, report->seed);
    put_string(writer, root, "seed", seed);
    cJSON *server = put(writer, root, "server", cJSON_CreateObject());
    put_string(writer, server, "kind", report->server_kind);
    put_string(writer, server, "version", report->server_version);
    put_string(writer, server, "spec", report->server_spec);
    char started[32] = "1970-01-01T00:00:00Z";
    struct tm utc;
    if (gmtime_r(&report->started, &utc) != NULL)
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    put_string(writer, root, "started", started);
    put_double(writer, root, "seconds", sp_report_seconds(report));
    put(writer, root, "interrupted", cJSON_CreateBool(interrupted));
    put_counts(writer, root, NULL);
}

static void put_kinds(writer_t *writer, cJSON *object, const sp_area_t *area)
{
    cJSON *kinds = put(writer, object, "kinds", cJSON_CreateObject());
    cJSON *dimension = NULL;
    size_t count;
    const sp_tally_entry_t *entries = sp_tally_entries(area->kinds, &count);
    for (size_t i = 0; i < count; i++) {
        char *name = sp_utf8_clean(entries[i].name, KIND_NAME_MAX);
        if (i == 0 || strcmp(entries[i].dimension, entries[i - 1].dimension) != 0)
            dimension = put(writer, kinds, entries[i].dimension, cJSON_CreateObject());
        put_uint(writer, dimension, name, entries[i].count);
        bson_free(name);
    }
}

static void put_areas(writer_t *writer, cJSON *root)
{
    cJSON *areas = put(writer, root, "areas", cJSON_CreateArray());
    for (size_t i = 0; i < writer->report->areas_size; i++) {
        const sp_area_t *area = writer->report->areas[i];
        cJSON *object = cJSON_CreateObject();
        put_string(writer, object, "name", area->name);
        put_uint(writer, object, "scenes", area->scenes);
        put_uint(writer, object, "answers", sp_area_answers(area));
        put_counts(writer, object, area->name);
        put_kinds(writer, object, area);
        put_double(writer, object, "seconds", area->seconds);
        put_double(writer, object, "answers_per_second", sp_area_rate(area));
        if (area->note == NULL)
            put(writer, object, "note", cJSON_CreateNull());
        else
            put_string(writer, object, "note", area->note);
        cJSON_AddItemToArray(areas, object);
    }
}

static const char *again_name(sp_again_t again)
{
    static const char *const names[] = {
        [SP_AGAIN_UNASKED] = "unasked", [SP_AGAIN_SAME] = "same", [SP_AGAIN_OTHER] = "other"};
    return names[again];
}

static const char *kind_name(sp_finding_kind_t kind)
{
    static const char *const names[] = {
        [SP_FINDING_MODEL] = "model", [SP_FINDING_DEFECT] = "defect"};
    return names[kind];
}

static cJSON *finding_new(writer_t *writer, const sp_area_t *area, const sp_kept_t *kept)
{
    const sp_report_t *report = writer->report;
    char *id = sp_finding_id(area->name, kept);
    char *file = sp_case_file(area->name, kept);
    char *replay = sp_replay_command(report, file);
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, report->seed);

    cJSON *object = cJSON_CreateObject();
    put_string(writer, object, "id", id);
    put_string(writer, object, "area", area->name);
    /* Trouble says nothing about the model, nor about what the server makes of a case. */
    if (kept->verdict != SP_INFRASTRUCTURE)
        put_string(writer, object, "kind", kind_name(area->kind));
    put_uint(writer, object, "scene", kept->scene);
    put_uint(writer, object, "check", kept->check);
    put_string(writer, object, "seed", seed);
    put_string(writer, object, "verdict", sp_verdict_name(kept->verdict));
    put_string(writer, object, "rule", kept->rule);
    put_document(writer, object, "expected", kept->expected);
    put_document(writer, object, "observed", kept->observed);
    put_string(writer, object, "again", again_name(kept->again));
    put_string(writer, object, "server_version", report->server_version);
    put_string(writer, object, "replay", replay);
    put_string(writer, object, "case_file", file);
    put_document(writer, object, "case", kept->test);
    bson_free(id);
    bson_free(file);
    bson_free(replay);
    return object;
}

static void add_findings(writer_t *writer, cJSON *array, const sp_area_t *area, sp_group_t group)
{
    const sp_bucket_t *bucket = &area->buckets[group];
    for (size_t i = 0; i < bucket->size; i++)
        cJSON_AddItemToArray(array, finding_new(writer, area, bucket->kept[i]));
}

static uint64_t dropped(const sp_area_t *area, sp_group_t group)
{
    return area->buckets[group].came - area->buckets[group].size;
}

static void put_findings(writer_t *writer, cJSON *root)
{
    cJSON *findings = put(writer, root, "findings", cJSON_CreateArray());
    cJSON *findings_dropped = put(writer, root, "findings_dropped", cJSON_CreateObject());
    cJSON *trouble = put(writer, root, "infrastructure", cJSON_CreateArray());
    cJSON *trouble_dropped = put(writer, root, "infrastructure_dropped", cJSON_CreateObject());
    for (size_t i = 0; i < writer->report->areas_size; i++) {
        const sp_area_t *area = writer->report->areas[i];
        add_findings(writer, findings, area, SP_GROUP_DIFFERENCES);
        add_findings(writer, findings, area, SP_GROUP_NOTED);
        add_findings(writer, trouble, area, SP_GROUP_INFRASTRUCTURE);
        put_uint(writer, findings_dropped, area->name,
                 dropped(area, SP_GROUP_DIFFERENCES) + dropped(area, SP_GROUP_NOTED));
        put_uint(writer, trouble_dropped, area->name, dropped(area, SP_GROUP_INFRASTRUCTURE));
    }
}

static void put_cause(writer_t *writer, cJSON *groups, const sp_area_t *area,
                      const sp_cause_t *cause)
{
    char *file = sp_case_file(area->name, cause->example);
    char *replay = sp_replay_command(writer->report, file);
    cJSON *object = cJSON_CreateObject();
    put_string(writer, object, "area", area->name);
    put_string(writer, object, "kind", kind_name(area->kind));
    if (cause->text == NULL)
        put(writer, object, "cause", cJSON_CreateNull());
    else
        put_string(writer, object, "cause", cause->text);
    put_uint(writer, object, "count", cause->count);
    put_string(writer, object, "example", file);
    put_string(writer, object, "replay", replay);
    cJSON_AddItemToArray(groups, object);
    bson_free(file);
    bson_free(replay);
}

static void put_groups(writer_t *writer, cJSON *root)
{
    cJSON *groups = put(writer, root, "groups", cJSON_CreateArray());
    for (size_t i = 0; i < writer->report->areas_size; i++) {
        const sp_area_t *area = writer->report->areas[i];
        size_t count;
        const sp_cause_t **causes = sp_causes_sorted(&area->causes, &count);
        for (size_t at = 0; at < count; at++)
            put_cause(writer, groups, area, causes[at]);
        bson_free(causes);
    }
}

static bool write_report(writer_t *writer, const char *path, bool interrupted, sp_error_t *error)
{
    cJSON *root = cJSON_CreateObject();
    put_head(writer, root, interrupted);
    put_areas(writer, root);
    put_groups(writer, root);
    put_findings(writer, root);
    char *text = writer->failed ? NULL : cJSON_Print(root);
    bool written = text != NULL
                       ? sp_write_file(path, text, strlen(text), error)
                       : sp_error_set(error, SP_ERROR_SYSTEM, ENOMEM,
                                      "cannot write %s: out of memory; run fewer areas", path);
    cJSON_free(text);
    cJSON_Delete(root);
    return written;
}

/* JSON lines: what `replay` and `ask` read. */
static bool write_case(const writer_t *writer, const sp_area_t *area, const sp_kept_t *kept,
                       sp_error_t *error)
{
    char *file = sp_case_file(area->name, kept);
    char *path = bson_strdup_printf("%s/%s", writer->folder, file);
    size_t length;
    char *line = sp_document_json(kept->test, &length);
    line[length] = '\n';
    bool written = sp_write_file_unsynced(path, line, length + 1, error);
    bson_free(line);
    bson_free(path);
    bson_free(file);
    return written;
}

static bool write_examples(const writer_t *writer, const sp_area_t *area, sp_error_t *error)
{
    const sp_causes_t *causes = &area->causes;
    for (size_t at = 0; at < causes->size; at++) {
        if (!write_case(writer, area, causes->named[at]->example, error))
            return false;
    }
    return causes->others == NULL || write_case(writer, area, causes->others->example, error);
}

/* Trouble first: where one answer is found in two groups, the file is the difference's. */
static bool write_area_cases(const writer_t *writer, const sp_area_t *area, sp_error_t *error)
{
    for (int group = SP_GROUPS - 1; group >= 0; group--) {
        const sp_bucket_t *bucket = &area->buckets[group];
        if (group == SP_GROUP_DIFFERENCES && !write_examples(writer, area, error))
            return false;
        for (size_t at = 0; at < bucket->size; at++) {
            if (!write_case(writer, area, bucket->kept[at], error))
                return false;
        }
    }
    return true;
}

static bool write_cases(const writer_t *writer, sp_error_t *error)
{
    for (size_t i = 0; i < writer->report->areas_size; i++) {
        if (!write_area_cases(writer, writer->report->areas[i], error))
            return false;
    }
    return true;
}

bool sp_report_write(sp_report_t *report, const char *folder, bool interrupted, sp_error_t *error)
{
    bson_free(report->folder);
    report->folder = bson_strdup(folder);
    writer_t writer = {.report = report, .folder = folder};
    char *cases = bson_strdup_printf("%s/cases", folder);
    char *path = bson_strdup_printf("%s/report.json", folder);
    sp_stale_cases_t *stale = sp_stale_cases_new(folder);
    /* The report last, so that what it names is there. */
    bool written = sp_make_folders(cases, error) && write_cases(&writer, error) &&
                   sp_sync_folder(cases, error) && write_report(&writer, path, interrupted, error);
    if (written) {
        sp_stale_cases_remove(stale, report);
    } else {
        bson_free(report->folder);
        report->folder = NULL;
    }
    sp_stale_cases_free(stale);
    bson_free(path);
    bson_free(cases);
    return written;
}
