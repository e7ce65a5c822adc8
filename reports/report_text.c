#include "report_model.h"

#include "document_json.h"
#include "escape.h"

#include <string.h>

#define FINDINGS_SHOWN      12
#define FINDINGS_SHOWN_AREA 3
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
    char *clean = sp_utf8_clean(text, WORDS_SHOWN);
    for (char *p = clean; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
        else if (p[0] == '\xc2' && (unsigned char)p[1] < 0xa0)
            p[0] = p[1] = ' ';
    }
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

static void print_finding(FILE *out, const sp_area_t *area, const sp_kept_t *kept)
{
    char *id = sp_finding_id(area, kept);
    fprintf(out, "\n%s: %s\n", id, sp_verdict_name(kept->verdict));
    print_safe(out, "  rule      ", kept->rule);
    print_document(out, "  expected  ", kept->expected);
    print_document(out, "  observed  ", kept->observed);
    if (kept->again == SP_AGAIN_OTHER)
        fprintf(out, "  flaky     asked again, the server gave another answer\n");
    fprintf(out, "  case      cases/%s.json\n", id);
    bson_free(id);
}

static void print_group(FILE *out, const sp_report_t *report, sp_group_t group, const char *what)
{
    uint64_t came = 0;
    for (size_t i = 0; i < report->areas_size; i++)
        came += report->areas[i]->buckets[group].came;
    if (came == 0)
        return;
    fprintf(out, "\n%s: %" PRIu64 "; the first of each area:\n", what, came);

    size_t left = FINDINGS_SHOWN;
    for (size_t i = 0; i < report->areas_size; i++) {
        const sp_area_t *area = report->areas[i];
        const sp_bucket_t *bucket = &area->buckets[group];
        for (size_t at = 0; at < bucket->size && at < FINDINGS_SHOWN_AREA && left > 0; at++, left--)
            print_finding(out, area, bucket->kept[at]);
    }
}

void sp_report_print(const sp_report_t *report, FILE *out)
{
    char *head = bson_strdup_printf("%s %s, seed %" PRIu64, report->server_kind,
                                    report->server_version, report->seed);
    print_safe(out, "", head);
    bson_free(head);
    fputc('\n', out);
    print_table(out, report);
    print_group(out, report, SP_GROUP_DIFFERENCES, "Differences");
    print_group(out, report, SP_GROUP_INFRASTRUCTURE, "Trouble with the servers");
}
