#include "report_model.h"

#include "document_json.h"
#include "printable.h"

#include <inttypes.h>
#include <stdint.h>

#define FINDINGS_SHOWN      12
#define FINDINGS_SHOWN_AREA 3
#define CAUSES_SHOWN        20
#define REPLAYS_SHOWN       5
#define WORDS_SHOWN         400

static uint64_t differences(const sp_report_t *report, const char *area)
{
    uint64_t sum = 0;
    for (int verdict = 0; verdict < SP_VERDICTS; verdict++) {
        if (sp_verdict_differs((sp_verdict_t)verdict))
            sum += sp_report_total(report, area, (sp_verdict_t)verdict);
    }
    return sum;
}

/* Control characters in what a server or a command line said must not reach the terminal. */
static void print_safe(FILE *out, const char *label, const char *text)
{
    char *clean = sp_printable(text, WORDS_SHOWN);
    fprintf(out, "%s%s\n", label, clean);
    bson_free(clean);
}

static void print_document(FILE *out, const char *label, const bson_t *document)
{
    /* Relaxed, since nobody reads {"$numberInt": "1"} with ease; the case file has the types. */
    char *json = bson_as_relaxed_extended_json(document, NULL);
    if (json == NULL)
        json = sp_document_json(document, NULL);
    print_safe(out, label, json);
    bson_free(json);
}

/* `area` is NULL for the sum of all. */
static void print_row(FILE *out, const sp_report_t *report, const char *area, uint64_t scenes,
                      uint64_t answers)
{
    fprintf(out, "%-16s %9" PRIu64 " %10" PRIu64, area == NULL ? "all" : area, scenes, answers);
    fprintf(out, " %10" PRIu64 " %7" PRIu64, sp_report_total(report, area, SP_MATCH),
            differences(report, area));
    fprintf(out, " %6" PRIu64 " %12" PRIu64, sp_report_total(report, area, SP_KNOWN),
            sp_report_total(report, area, SP_UNSUPPORTED));
    fprintf(out, " %8" PRIu64, sp_report_total(report, area, SP_INFRASTRUCTURE));
}

static void print_table(FILE *out, const sp_report_t *report)
{
    fprintf(out, "%-16s %9s %10s %10s %7s %6s %12s %8s %9s\n", "area", "scenes", "answers", "match",
            "differ", "known", "unsupported", "trouble", "answers/s");
    uint64_t scenes = 0, answers = 0;
    for (size_t i = 0; i < report->areas_size; i++) {
        const sp_area_t *area = report->areas[i];
        print_row(out, report, area->name, area->scenes, sp_area_answers(area));
        fprintf(out, " %9.0f\n", sp_area_rate(area));
        scenes += area->scenes;
        answers += sp_area_answers(area);
    }
    print_row(out, report, NULL, scenes, answers);
    fputc('\n', out);
    for (size_t i = 0; i < report->areas_size; i++) {
        const sp_area_t *area = report->areas[i];
        if (area->note != NULL) {
            fprintf(out, "%s: ", area->name);
            print_safe(out, "", area->note);
        }
    }
}

static void print_kinds(FILE *out, const sp_report_t *report)
{
    for (size_t i = 0; i < report->areas_size; i++)
        sp_report_print_kinds(out, report->areas[i]);
}

static void print_finding(FILE *out, const sp_area_t *area, const sp_kept_t *kept)
{
    char *id = sp_finding_id(area->name, kept);
    fprintf(out, "\n%s: %s\n", id, sp_verdict_name(kept->verdict));
    print_safe(out, "  rule      ", kept->rule);
    print_document(out, "  expected  ", kept->expected);
    print_document(out, "  observed  ", kept->observed);
    if (kept->again == SP_AGAIN_OTHER)
        fprintf(out, "  flaky     asked again, the server gave another answer\n");
    fprintf(out, "  case      cases/%s.json\n", id);
    bson_free(id);
}

static void print_cause(FILE *out, const sp_report_t *report, const sp_area_t *area,
                        const sp_cause_t *cause, bool how_to_replay)
{
    char *file = sp_case_file(area->name, cause->example);
    fprintf(out, "%7" PRIu64 " × ", cause->count);
    print_safe(out, "", cause->text == NULL ? "other causes" : cause->text);
    if (how_to_replay && report->folder != NULL) {
        /* Uncut, since it is meant for a shell. */
        char *replay = sp_replay_command(report, file);
        char *clean = sp_printable(replay, SIZE_MAX);
        fprintf(out, "          %s\n", clean);
        bson_free(clean);
        bson_free(replay);
    } else {
        fprintf(out, "          %s\n", file);
    }
    bson_free(file);
}

static void print_causes(FILE *out, const sp_report_t *report, const sp_area_t *area)
{
    size_t count;
    const sp_cause_t **causes = sp_causes_sorted(&area->causes, &count);
    if (count > 0)
        fprintf(out, "\n%s, by cause, each with its smallest case:\n", area->name);
    for (size_t i = 0; i < count && i < CAUSES_SHOWN; i++)
        print_cause(out, report, area, causes[i], i < REPLAYS_SHOWN);
    if (count > CAUSES_SHOWN)
        fprintf(out, "        and %zu more cause%s\n", count - CAUSES_SHOWN,
                count - CAUSES_SHOWN == 1 ? "" : "s");
    bson_free(causes);
}

/* What no cause tells of, at most `max` findings. Returns how many. */
static size_t print_first(FILE *out, const sp_area_t *area, sp_group_t group, size_t max)
{
    const sp_bucket_t *bucket = &area->buckets[group];
    size_t shown = 0;
    for (size_t at = 0; at < bucket->size && shown < max; at++) {
        const sp_kept_t *kept = bucket->kept[at];
        if (group == SP_GROUP_DIFFERENCES && sp_cause_of(kept->observed) != NULL)
            continue;
        print_finding(out, area, kept);
        shown++;
    }
    return shown;
}

/* Prints the findings of the areas that `chosen` takes. */
static void print_group(FILE *out, const sp_report_t *report, sp_group_t group,
                        bool (*chosen)(const sp_area_t *area), const char *what)
{
    uint64_t came = 0;
    size_t causes = 0;
    for (size_t i = 0; i < report->areas_size; i++) {
        const sp_area_t *area = report->areas[i];
        came += chosen(area) ? area->buckets[group].came : 0;
        causes += chosen(area) && group == SP_GROUP_DIFFERENCES ? area->causes.size : 0;
    }
    if (came == 0)
        return;
    fprintf(out, "\n%s: %" PRIu64 "%s\n", what, came,
            causes == 0 ? "; the first of each area:" : "");

    size_t left = FINDINGS_SHOWN;
    for (size_t i = 0; i < report->areas_size; i++) {
        const sp_area_t *area = report->areas[i];
        if (!chosen(area))
            continue;
        if (group == SP_GROUP_DIFFERENCES)
            print_causes(out, report, area);
        left -=
            print_first(out, area, group, left < FINDINGS_SHOWN_AREA ? left : FINDINGS_SHOWN_AREA);
    }
}

static bool any(const sp_area_t *area)
{
    (void)area;
    return true;
}

static bool is_about_model(const sp_area_t *area)
{
    return area->kind == SP_FINDING_MODEL;
}

static bool is_about_defects(const sp_area_t *area)
{
    return area->kind == SP_FINDING_DEFECT;
}

void sp_report_print(const sp_report_t *report, FILE *out)
{
    char *head = bson_strdup_printf("%s %s, seed %" PRIu64, report->server_kind,
                                    report->server_version, report->seed);
    print_safe(out, "", head);
    bson_free(head);
    fputc('\n', out);
    print_table(out, report);
    print_kinds(out, report);
    print_group(out, report, SP_GROUP_DIFFERENCES, is_about_model, "Differences");
    print_group(out, report, SP_GROUP_DIFFERENCES, is_about_defects,
                "Defects, where the server contradicts itself");
    print_group(out, report, SP_GROUP_INFRASTRUCTURE, any, "Trouble with the servers");
}
