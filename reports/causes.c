#include "causes.h"

#include "document_json.h"
#include "escape.h"

#include <stdlib.h>
#include <string.h>

#define CAUSE_MAX 4096

const char *sp_cause_of(const bson_t *observed)
{
    bson_iter_t iter;
    bool named = observed != NULL && bson_iter_init_find(&iter, observed, "cause") &&
                 BSON_ITER_HOLDS_UTF8(&iter);
    const char *text = named ? bson_iter_utf8(&iter, NULL) : "";
    return *text != '\0' ? text : NULL;
}

static void cause_free(sp_cause_t *cause)
{
    if (cause == NULL)
        return;
    sp_kept_free(cause->example);
    bson_free(cause->text);
    bson_free(cause);
}

/* A case that did not show itself again is a poor example, whatever its size. */
static int compare_examples(const sp_kept_t *left, size_t left_size, const sp_kept_t *right,
                            size_t right_size)
{
    bool left_flaky = left->again == SP_AGAIN_OTHER, right_flaky = right->again == SP_AGAIN_OTHER;
    if (left_flaky != right_flaky)
        return left_flaky ? 1 : -1;
    if (left_size != right_size)
        return left_size < right_size ? -1 : 1;
    int order = sp_kept_compare_place(left, right->scene, right->check);
    return order != 0 ? order : sp_kept_compare_content(left, right);
}

/* Counts `count` more; `example` is taken over, or freed where there is a better one. */
static void take(sp_cause_t *cause, uint64_t count, sp_kept_t *example, size_t size)
{
    cause->count += count;
    if (cause->example != NULL &&
        compare_examples(cause->example, cause->example_size, example, size) <= 0) {
        sp_kept_free(example);
        return;
    }
    sp_kept_free(cause->example);
    cause->example = example;
    cause->example_size = size;
}

/* Where the first cause stands that is not below `text`. */
static size_t search(const sp_causes_t *causes, const char *text)
{
    size_t low = 0, high = causes->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(causes->named[middle]->text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static sp_cause_t *others_of(sp_causes_t *causes)
{
    if (causes->others == NULL)
        causes->others = bson_malloc0(sizeof *causes->others);
    return causes->others;
}

/* What is pushed out never comes back: SP_CAUSES_MAX causes stand before it for good. */
static void push_out_last(sp_causes_t *causes)
{
    sp_cause_t *last = causes->named[--causes->size];
    take(others_of(causes), last->count, last->example, last->example_size);
    last->example = NULL;
    cause_free(last);
}

/* The cause named `text`, made where it is missing and among the first. */
static sp_cause_t *cause_named(sp_causes_t *causes, const char *text)
{
    size_t at = search(causes, text);
    if (at < causes->size && strcmp(causes->named[at]->text, text) == 0)
        return causes->named[at];
    if (at == SP_CAUSES_MAX)
        return others_of(causes);
    if (causes->size == SP_CAUSES_MAX)
        push_out_last(causes);

    sp_cause_t *cause = bson_malloc0(sizeof *cause);
    cause->text = bson_strdup(text);
    for (size_t i = causes->size; i > at; i--)
        causes->named[i] = causes->named[i - 1];
    causes->named[at] = cause;
    causes->size++;
    return cause;
}

void sp_causes_add(sp_causes_t *causes, const sp_finding_t *finding)
{
    const char *named = sp_cause_of(finding->observed);
    if (named == NULL)
        return;
    char *text = sp_utf8_clean(named, CAUSE_MAX);
    sp_kept_t *example = sp_kept_new(finding);
    size_t size;
    char *json = sp_document_json(example->test, &size);
    take(cause_named(causes, text), 1, example, size);
    bson_free(json);
    bson_free(text);
}

void sp_causes_clear(sp_causes_t *causes)
{
    for (size_t i = 0; i < causes->size; i++)
        cause_free(causes->named[i]);
    cause_free(causes->others);
    causes->size = 0;
    causes->others = NULL;
}

static int most_frequent_first(const void *a, const void *b)
{
    const sp_cause_t *const *left = a, *const *right = b;
    if ((*left)->count != (*right)->count)
        return (*left)->count > (*right)->count ? -1 : 1;
    return strcmp((*left)->text, (*right)->text);
}

const sp_cause_t **sp_causes_sorted(const sp_causes_t *causes, size_t *count)
{
    const sp_cause_t **sorted = bson_malloc((causes->size + 1) * sizeof *sorted);
    for (size_t i = 0; i < causes->size; i++)
        sorted[i] = causes->named[i];
    if (causes->size > 0)
        qsort(sorted, causes->size, sizeof *sorted, most_frequent_first);
    *count = causes->size;
    if (causes->others != NULL)
        sorted[(*count)++] = causes->others;
    return sorted;
}

bool sp_causes_keep(const sp_causes_t *causes, uint64_t scene, uint32_t check)
{
    for (size_t i = 0; i < causes->size; i++) {
        if (sp_kept_compare_place(causes->named[i]->example, scene, check) == 0)
            return true;
    }
    return causes->others != NULL &&
           sp_kept_compare_place(causes->others->example, scene, check) == 0;
}
