#include "report_model.h"

#include "escape.h"

#include <stdlib.h>
#include <string.h>

/* A dimension with more kinds than this is shown by its ends only. */
enum { KINDS_SHOWN = 30, NAME_SHOWN = 80, LINE_WIDTH = 100, INDENT = 16 };

static int by_count(const void *a, const void *b)
{
    const sp_tally_entry_t *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* "NAME 12.3 %", to be freed with bson_free. */
static char *describe(const sp_tally_entry_t *entry, uint64_t answers)
{
    char *name = sp_utf8_clean(entry->name, NAME_SHOWN);
    double share = answers > 0 ? 100.0 * (double)entry->count / (double)answers : 0;
    char *text = bson_strdup_printf("%s %.*f %%", name, share < 10 ? 1 : 0, share);
    bson_free(name);
    return text;
}

static void print_all(FILE *out, const sp_tally_entry_t *entries, size_t count, uint64_t answers)
{
    size_t column = INDENT;
    for (size_t i = 0; i < count; i++) {
        char *text = describe(&entries[i], answers);
        size_t length = strlen(text) + 2;
        if (column + length > LINE_WIDTH && i > 0) {
            fprintf(out, ",\n%*s%s", INDENT, "", text);
            column = INDENT + length;
        } else {
            fprintf(out, "%s%s", i == 0 ? "" : ", ", text);
            column += length;
        }
        bson_free(text);
    }
    fputc('\n', out);
}

static void print_ends(FILE *out, const sp_tally_entry_t *entries, size_t count, uint64_t answers)
{
    char *most = describe(&entries[0], answers), *least = describe(&entries[count - 1], answers);
    fprintf(out, "%zu, from %s to %s\n", count, most, least);
    bson_free(most);
    bson_free(least);
}

static void print_dimension(FILE *out, const sp_tally_entry_t *entries, size_t count,
                            uint64_t answers)
{
    sp_tally_entry_t *sorted = bson_malloc(count * sizeof *sorted);
    memcpy(sorted, entries, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_count);
    fprintf(out, "  %-*s", INDENT - 2, entries[0].dimension);
    if (count > KINDS_SHOWN)
        print_ends(out, sorted, count, answers);
    else
        print_all(out, sorted, count, answers);
    bson_free(sorted);
}

void sp_report_print_kinds(FILE *out, const sp_area_t *area)
{
    size_t count;
    const sp_tally_entry_t *entries = sp_tally_entries(area->kinds, &count);
    if (count > 0)
        fprintf(out, "\n%s, what was asked:\n", area->name);
    for (size_t from = 0, to; from < count; from = to) {
        to = from + 1;
        while (to < count && strcmp(entries[to].dimension, entries[from].dimension) == 0)
            to++;
        print_dimension(out, entries + from, to - from, sp_area_answers(area));
    }
}
