#include "soundness.h"

#include "answers.h"
#include "case.h"
#include "soundness_cause.h"

#include <stdio.h>
#include <string.h>

/* Whether document `place` is in the array of places `name`. */
static bool lists(const bson_t *doc, const char *name, uint32_t place)
{
    bson_iter_t iter, element;
    if (!bson_iter_init_find(&iter, doc, name) || !BSON_ITER_HOLDS_ARRAY(&iter) ||
        !bson_iter_recurse(&iter, &element))
        return false;
    while (bson_iter_next(&element)) {
        if (BSON_ITER_HOLDS_INT32(&element) && bson_iter_int32(&element) == (int64_t)place)
            return true;
    }
    return false;
}

static void append_place(bson_t *places, uint32_t *count, uint32_t place)
{
    char index[16];
    snprintf(index, sizeof index, "%u", (*count)++);
    BSON_APPEND_INT32(places, index, (int32_t)place);
}

static sp_symptom_t why_missing(const sp_soundness_t *scene, const sp_seen_t seen[SP_WAYS],
                                uint32_t i)
{
    const sp_seen_t *everything = scene->everything;
    if (everything[SP_WAY_SCANNED].times[i] == 0)
        return SP_SYMPTOM_LOST;
    if (everything[SP_WAY_ROUTED].times[i] == 0)
        return SP_SYMPTOM_INVISIBLE;
    if (seen[SP_WAY_SCANNED].times[i] == 0)
        return SP_SYMPTOM_UNMATCHED;
    if (seen[SP_WAY_DIRECT].times[i] == 0)
        return SP_SYMPTOM_INDEX_MISSES;
    return SP_SYMPTOM_NOT_ASKED;
}

static sp_symptom_t why_extra(const sp_soundness_t *scene, const sp_seen_t seen[SP_WAYS],
                              uint32_t i)
{
    if (!scene->acknowledged[i])
        return SP_SYMPTOM_REFUSED_BUT_STORED;
    if (seen[SP_WAY_SCANNED].times[i] > 1)
        return SP_SYMPTOM_STORED_TWICE;
    if (seen[SP_WAY_ROUTED].times[i] > 1)
        return SP_SYMPTOM_GIVEN_TWICE;
    return seen[SP_WAY_DIRECT].times[i] > 0 ? SP_SYMPTOM_INDEX_ADDS : SP_SYMPTOM_ROUTER_ADDS;
}

/* A check that all answered. */
static void judge_documents(const sp_soundness_t *scene, const bson_t *check,
                            const sp_seen_t seen[SP_WAYS], bson_t *answer)
{
    bool complete = true, found = true;
    bson_t missing = BSON_INITIALIZER, extra = BSON_INITIALIZER;
    uint32_t missing_count = 0, extra_count = 0, first = 0;
    sp_symptom_t symptom = SP_SYMPTOM_NONE;
    for (uint32_t i = 0; i < scene->count; i++) {
        uint32_t held = seen[SP_WAY_SCANNED].times[i], got = seen[SP_WAY_ROUTED].times[i];
        bool claimed = scene->acknowledged[i] && lists(check, "finds", i);
        sp_symptom_t here = SP_SYMPTOM_NONE;
        if (got == 0 && (held > 0 || claimed)) {
            here = why_missing(scene, seen, i);
            append_place(&missing, &missing_count, i);
            complete = complete && held == 0;
            found = found && !claimed;
        } else if (got > held || held > 1 || (held > 0 && !scene->acknowledged[i])) {
            here = why_extra(scene, seen, i);
            append_place(&extra, &extra_count, i);
            complete = false;
        }
        if (symptom == SP_SYMPTOM_NONE && here != SP_SYMPTOM_NONE) {
            symptom = here;
            first = i;
        }
    }
    BSON_APPEND_BOOL(answer, "complete", complete);
    BSON_APPEND_BOOL(answer, "found", found);
    if (symptom != SP_SYMPTOM_NONE) {
        sp_soundness_append_cause(scene, check, symptom, first, answer);
        BSON_APPEND_ARRAY(answer, "missing", &missing);
        BSON_APPEND_ARRAY(answer, "extra", &extra);
    }
    bson_destroy(&missing);
    bson_destroy(&extra);
}

enum { MAX_TIME_EXPIRED = 50 };

void sp_soundness_judge(const sp_soundness_t *scene, const bson_t *check,
                        const sp_seen_t seen[SP_WAYS], bson_t *answer)
{
    const sp_seen_t *routed = &seen[SP_WAY_ROUTED], *direct = &seen[SP_WAY_DIRECT];
    const sp_seen_t *scanned = &seen[SP_WAY_SCANNED];
    if (routed->code != 0 && routed->code != scanned->code) {
        /* The message of a time-out is never the same twice. */
        sp_answer_error(answer, routed->code,
                        routed->code == MAX_TIME_EXPIRED ? "the query did not end in time"
                                                         : routed->message);
        sp_symptom_t symptom = routed->code == MAX_TIME_EXPIRED ? SP_SYMPTOM_ENDLESS
                               : routed->code == direct->code   ? SP_SYMPTOM_INDEX_REFUSES
                                                                : SP_SYMPTOM_ROUTER_REFUSES;
        sp_soundness_append_cause(scene, check, symptom, routed->code, answer);
    } else if (routed->code == 0 && scanned->code != 0) {
        BSON_APPEND_BOOL(answer, "complete", false);
        BSON_APPEND_BOOL(answer, "found", true);
        sp_soundness_append_cause(scene, check, SP_SYMPTOM_SHARDS_REFUSE, scanned->code, answer);
    } else if (routed->code != 0) {
        BSON_APPEND_BOOL(answer, "complete", true);
        BSON_APPEND_BOOL(answer, "found", true);
    } else {
        judge_documents(scene, check, seen, answer);
    }
}

static bool check_finds(const bson_iter_t *finds, uint32_t docs)
{
    bson_iter_t place;
    if (!BSON_ITER_HOLDS_ARRAY(finds) || !bson_iter_recurse(finds, &place))
        return false;
    while (bson_iter_next(&place)) {
        if (!BSON_ITER_HOLDS_INT32(&place) || bson_iter_int32(&place) < 0 ||
            (uint32_t)bson_iter_int32(&place) >= docs)
            return false;
    }
    return true;
}

static bool check_check(const bson_iter_t *iter, uint32_t docs, sp_error_t *error)
{
    bson_iter_t field;
    bson_t inner;
    if (!BSON_ITER_HOLDS_DOCUMENT(iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it must be {filter: {…}, …}");
    if (!bson_iter_recurse(iter, &field) || !bson_iter_find(&field, "filter") ||
        !sp_value_document(&field, &inner))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it needs a document 'filter'");
    if (bson_iter_recurse(iter, &field) && bson_iter_find(&field, "collation") &&
        !sp_value_document(&field, &inner))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "its 'collation' must be a document");
    if (bson_iter_recurse(iter, &field) && bson_iter_find(&field, "finds") &&
        !check_finds(&field, docs))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "its 'finds' must be an array of places in 'docs', from 0 on");
    return true;
}

bool sp_case_predict_soundness(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                               sp_error_t *error)
{
    (void)model; /* which is what soundness does without */
    bson_iter_t doc, check;
    bson_t inner;
    uint32_t docs = 0;
    sp_layout_t *layout = sp_layout_new(test, error);
    bool ok = layout != NULL && sp_case_elements(test, "docs", &doc, error) &&
              sp_case_elements(test, "checks", &check, error);
    for (; ok && bson_iter_next(&doc); docs++)
        ok = sp_value_document(&doc, &inner) ||
             sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%u] is no document", docs);
    for (unsigned i = 0; ok && bson_iter_next(&check); i++) {
        ok = check_check(&check, docs, error) || sp_error_prefix(error, "checks[%u]", i);
        if (ok) {
            bson_t *answer = sp_answers_add(answers);
            BSON_APPEND_BOOL(answer, "complete", true);
            BSON_APPEND_BOOL(answer, "found", true);
        }
    }
    sp_layout_free(layout);
    return ok;
}

static bool is_empty_array(const bson_t *doc, const char *name)
{
    bson_iter_t iter, element;
    return !bson_iter_init_find(&iter, doc, name) || !bson_iter_recurse(&iter, &element) ||
           !bson_iter_next(&element);
}

/* The elements of `array` that are kept, in their order. */
static void append_kept(bson_t *out, const bson_iter_t *array, const bson_t *observed, bool all)
{
    bson_t kept;
    bson_iter_t element;
    uint32_t count = 0;
    BSON_APPEND_ARRAY_BEGIN(out, bson_iter_key(array), &kept);
    if (bson_iter_recurse(array, &element)) {
        for (uint32_t i = 0; bson_iter_next(&element); i++) {
            if (!all && !lists(observed, "missing", i) && !lists(observed, "extra", i))
                continue;
            char index[16];
            snprintf(index, sizeof index, "%u", count++);
            sp_value_t value = sp_value_of(&element);
            sp_value_append(&kept, index, &value);
        }
    }
    bson_append_array_end(out, &kept);
}

/* `finds` again, with the new places of the documents that are kept. */
static void append_finds(bson_t *out, const bson_t *check, uint32_t docs, const bson_t *observed,
                         bool all)
{
    bson_t finds;
    uint32_t count = 0, kept = 0;
    BSON_APPEND_ARRAY_BEGIN(out, "finds", &finds);
    for (uint32_t i = 0; i < docs; i++) {
        if (!all && !lists(observed, "missing", i) && !lists(observed, "extra", i))
            continue;
        if (lists(check, "finds", i))
            append_place(&finds, &count, kept);
        kept++;
    }
    bson_append_array_end(out, &finds);
}

static void append_check(bson_t *out, const bson_iter_t *checks, uint32_t check, uint32_t docs,
                         const bson_t *observed, bool all)
{
    bson_t one, array, inner;
    bson_iter_t element, field;
    BSON_APPEND_ARRAY_BEGIN(out, "checks", &array);
    if (bson_iter_recurse(checks, &element)) {
        for (uint32_t i = 0; bson_iter_next(&element); i++) {
            if (i != check || !sp_value_document(&element, &one) || !bson_iter_init(&field, &one))
                continue;
            BSON_APPEND_DOCUMENT_BEGIN(&array, "0", &inner);
            while (bson_iter_next(&field)) {
                sp_value_t value = sp_value_of(&field);
                if (strcmp(bson_iter_key(&field), "finds") == 0)
                    append_finds(&inner, &one, docs, observed, all);
                else
                    sp_value_append(&inner, bson_iter_key(&field), &value);
            }
            bson_append_document_end(&array, &inner);
        }
    }
    bson_append_array_end(out, &array);
}

/* What an index gives twice it has to come across again on its way to other documents. */
static bool keeps_all(const bson_t *observed)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, observed, "cause") && BSON_ITER_HOLDS_UTF8(&iter) &&
        sp_symptom_is(bson_iter_utf8(&iter, NULL), SP_SYMPTOM_GIVEN_TWICE))
        return true;
    return is_empty_array(observed, "missing") && is_empty_array(observed, "extra");
}

void sp_soundness_narrow(const bson_t *test, uint32_t check, const bson_t *observed, bson_t *narrow)
{
    bool all = keeps_all(observed);
    bson_iter_t iter, element;
    uint32_t docs = 0;
    if (sp_case_elements(test, "docs", &element, NULL)) {
        while (bson_iter_next(&element))
            docs++;
    }
    if (!bson_iter_init(&iter, test))
        return;
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        sp_value_t value = sp_value_of(&iter);
        if (strcmp(name, "docs") == 0)
            append_kept(narrow, &iter, observed, all);
        else if (strcmp(name, "checks") == 0)
            append_check(narrow, &iter, check, docs, observed, all);
        else if (strcmp(name, "area") != 0 && strcmp(name, "answers") != 0)
            sp_value_append(narrow, name, &value);
    }
}
