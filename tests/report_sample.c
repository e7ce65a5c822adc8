/*
 * Writes a report with all that is awkward in it: report_sample FOLDER SHUFFLE. Findings come in
 * the sequence that the number SHUFFLE decides. check_report.py looks at what was written.
 */
#include "../reports/report.h"

#include <bson/bson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 1500

static bson_t *answer(const char *key, const char *value, int length)
{
    bson_t *document = bson_new();
    bson_append_utf8(document, key, -1, value, length);
    return document;
}

static bson_t *nested(int depth)
{
    bson_t *document = bson_new();
    for (int i = 0; i < depth; i++) {
        bson_t *outer = bson_new();
        BSON_APPEND_DOCUMENT(outer, "a", document);
        bson_destroy(document);
        document = outer;
    }
    return document;
}

static bson_t *types(void)
{
    bson_t *document = bson_new();
    const uint8_t bytes[] = {0, 1, 0xff};
    bson_append_utf8(document, "nul", -1, "a\0b\0", 4);
    BSON_APPEND_UTF8(document, "quotes \" ' \\ / \n", "tab\t bell\a delete\x7f 😀 \xe2\x80\xa8");
    BSON_APPEND_INT64(document, "long", INT64_MAX);
    BSON_APPEND_INT64(document, "long", INT64_MIN);
    BSON_APPEND_DOUBLE(document, "$double", strtod("-inf", NULL));
    BSON_APPEND_DOUBLE(document, "", 5e-324);
    BSON_APPEND_BINARY(document, "binary", BSON_SUBTYPE_USER, bytes, sizeof bytes);
    BSON_APPEND_MAXKEY(document, "max");
    BSON_APPEND_TIMESTAMP(document, "time", UINT32_MAX, UINT32_MAX);
    BSON_APPEND_REGEX(document, "regex", "a\"/b", "ix");
    return document;
}

/* A string of `size` bytes in characters of three. */
static char *long_text(size_t size)
{
    static const char euro[3] = {'\xe2', '\x82', '\xac'};
    char *text = bson_malloc0(size + 1);
    for (size_t i = 0; i + sizeof euro <= size; i += sizeof euro)
        memcpy(text + i, euro, sizeof euro);
    return text;
}

/* All documents are given up to the report. */
static void add(sp_report_t *report, sp_finding_t finding, bson_t *test, bson_t *expected,
                bson_t *observed)
{
    finding.test = test;
    finding.expected = expected;
    finding.observed = observed;
    sp_report_add(report, &finding);
    bson_destroy(test);
    bson_destroy(expected);
    bson_destroy(observed);
}

static void add_awkward(sp_report_t *report)
{
    sp_finding_t finding = {.area = "find", .scene = 1, .verdict = SP_MISMATCH, .rule = "types"};
    add(report, finding, types(), types(), types());

    finding.check = 1;
    finding.rule = "invalid UTF-8 \xff\xc0\x80 and \"quotes\" and \x01 control \x1b[0m";
    add(report, finding, answer("s", "\xff\xfe", 2), answer("hash", "-1", -1),
        answer("error", "\xed\xa0\x80", 3));

    finding.check = 2;
    finding.verdict = SP_UNEXPECTED_ERROR;
    char *rule = long_text(300000);
    finding.rule = rule;
    char *message = long_text(3000000);
    add(report, finding, nested(98), answer("hash", "-1", -1), answer("message", message, -1));
    bson_free(rule);

    finding.check = 3;
    finding.verdict = SP_MISSING_ERROR;
    finding.rule = "";
    add(report, finding, nested(250), nested(150), answer("message", "€", -1));

    finding.check = UINT32_MAX;
    finding.scene = UINT64_MAX;
    finding.verdict = SP_FIXED;
    finding.rule = "the highest numbers";
    add(report, finding, answer("s", message, -1), bson_new(), bson_new());
    bson_free(message);
}

static bson_t *smaller_by_number(uint32_t number)
{
    char *text = long_text((size_t)(MANY - number) * 3);
    bson_t *document = answer("s", text, -1);
    bson_free(text);
    return document;
}

/* One cause for every fourth, and more others than are told apart. */
static bson_t *caused(uint32_t number)
{
    char cause[32] = "often \xff \"so\"";
    if (number % 4 != 0)
        snprintf(cause, sizeof cause, "rare %04u", number);
    return answer("cause", cause, -1);
}

static void add_many(sp_report_t *report, uint32_t number)
{
    sp_finding_t finding = {.area = "hash",
                            .scene = number / 2,
                            .check = number % 2,
                            .verdict = SP_MISMATCH,
                            .rule = "equal values hash alike"};
    bson_t *test = bson_new();
    BSON_APPEND_INT32(test, "number", (int32_t)number);
    add(report, finding, test, answer("hash", "1", -1), answer("hash", "2", -1));

    finding.verdict = number % 3 == 0 ? SP_KNOWN : SP_UNSUPPORTED;
    add(report, finding, bson_new(), bson_new(), answer("unsupported", "no", -1));

    finding.area = "soundness";
    finding.kind = SP_FINDING_DEFECT;
    finding.verdict = SP_INFRASTRUCTURE;
    finding.rule = "the server answers";
    add(report, finding, bson_new(), bson_new(), answer("infrastructure", "it died", -1));

    finding.verdict = SP_MISMATCH;
    finding.rule = "all is found";
    add(report, finding, smaller_by_number(number), bson_new(), caused(number));
}

/* As two workers would, and with names that no generator gives. */
static void add_kinds(sp_report_t *report)
{
    for (int worker = 0; worker < 2; worker++) {
        sp_tally_t *kinds = sp_tally_new();
        sp_tally_add(kinds, "operation", worker == 0 ? "find" : "aggregate", 1);
        sp_tally_add(kinds, "key shape", "a\xff\"b\n:1", 2);
        for (int i = 0; i < 100; i++) {
            char name[24];
            snprintf(name, sizeof name, "error %03d", i);
            sp_tally_add(kinds, "outcome", name, (uint64_t)i + 1);
        }
        sp_report_kinds(report, "find", kinds);
        sp_tally_free(kinds);
    }
}

static void fill(sp_report_t *report, uint64_t shuffle)
{
    uint32_t numbers[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        numbers[i] = i;
    for (uint32_t i = MANY - 1; i > 0; i--) {
        shuffle = shuffle * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)(shuffle >> 33) % (i + 1), number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
    bool awkward_first = shuffle >> 63 != 0;
    if (awkward_first)
        add_awkward(report);
    for (uint32_t i = 0; i < MANY; i++)
        add_many(report, numbers[i]);
    if (!awkward_first)
        add_awkward(report);

    sp_report_count(report, "hash", SP_MATCH, 9007199254740993); /* no double is that number */
    const sp_area_end_t ends[] = {
        {.area = "hash", .scenes = MANY / 2, .seconds = 0.25},
        {.area = "find", .scenes = 2, .seconds = 1.5, .note = "slow \xff \"disk\""},
        {.area = "soundness", .scenes = MANY, .seconds = 0},
        {.area = "refine", .note = "skipped: mongodb://user:secret@host has no refine"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sp_report_area_end(report, &ends[i]);
    add_kinds(report);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: report_sample FOLDER SHUFFLE\n", stderr);
        return 2;
    }
    const sp_report_head_t head = {
        .seed = UINT64_MAX,
        .server_kind = "mongos",
        .server_version = "6.0.5-\xff",
        .server_spec = "mongodb://it's:s3cr/et?@host:27017/?replicaSet=a b",
        .command = "shardproof run --server 'mongodb://it'\\''s:s3cr/et?@host:27017/' --seed 1"};
    sp_report_t *report = sp_report_new(&head);
    fill(report, strtoull(argv[2], NULL, 10));
    sp_error_t error = {0};
    bool written = sp_report_write(report, argv[1], true, &error);
    if (!written)
        fprintf(stderr, "%s\n", error.message);
    sp_report_print(report, stdout);
    sp_report_free(report);
    return written ? 0 : 3;
}
