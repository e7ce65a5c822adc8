#include "verdict.h"

#include "value.h"

#include <string.h>

static const char *const names[SP_VERDICTS] = {
    [SP_MATCH] = "match",
    [SP_MISMATCH] = "mismatch",
    [SP_UNEXPECTED_ERROR] = "unexpected-error",
    [SP_MISSING_ERROR] = "missing-error",
    [SP_UNSUPPORTED] = "unsupported",
    [SP_KNOWN] = "known",
    [SP_FIXED] = "fixed",
    [SP_INFRASTRUCTURE] = "infrastructure",
};

const char *sp_verdict_name(sp_verdict_t verdict)
{
    return (unsigned)verdict < SP_VERDICTS ? names[verdict] : "unknown";
}

bool sp_verdict_differs(sp_verdict_t verdict)
{
    return verdict == SP_MISMATCH || verdict == SP_UNEXPECTED_ERROR ||
           verdict == SP_MISSING_ERROR || verdict == SP_FIXED;
}

/* The code inside {error: {code: N}}; false where there is no error. */
static bool error_code(const bson_t *answer, int64_t *code)
{
    bson_iter_t iter, inner;
    if (!bson_iter_init_find(&iter, answer, "error"))
        return false;
    *code = 0;
    if (BSON_ITER_HOLDS_DOCUMENT(&iter) && bson_iter_recurse(&iter, &inner) &&
        bson_iter_find(&inner, "code"))
        *code = bson_iter_as_int64(&inner);
    return true;
}

static bool set_contains(const bson_iter_t *set, const bson_value_t *wanted)
{
    bson_iter_t iter;
    if (!bson_iter_recurse(set, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        const bson_value_t *have = bson_iter_value(&iter);
        if (have->value_type == BSON_TYPE_UTF8 && wanted->value_type == BSON_TYPE_UTF8 &&
            strcmp(have->value.v_utf8.str, wanted->value.v_utf8.str) == 0)
            return true;
    }
    return false;
}

static bool subset(const bson_iter_t *left, const bson_iter_t *right)
{
    bson_iter_t iter;
    if (!bson_iter_recurse(left, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        if (!set_contains(right, bson_iter_value(&iter)))
            return false;
    }
    return true;
}

/* What is there for people only: which documents of a case are concerned, by their places, which
 * are others in a narrowed case. */
static bool is_remark(const char *name)
{
    return strcmp(name, "missing") == 0 || strcmp(name, "extra") == 0;
}

static bool same_bytes(const bson_iter_t *expected, const bson_iter_t *observed)
{
    sp_value_t want = sp_value_of(expected), have = sp_value_of(observed);
    return sp_value_same(&want, &have);
}

static bool same_field(const bson_iter_t *expected, const bson_iter_t *observed)
{
    if (BSON_ITER_HOLDS_ARRAY(expected) && BSON_ITER_HOLDS_ARRAY(observed) &&
        strcmp(bson_iter_key(expected), "shards") == 0)
        return subset(expected, observed) && subset(observed, expected);
    if (BSON_ITER_HOLDS_ARRAY(expected) || BSON_ITER_HOLDS_DOCUMENT(expected) ||
        BSON_ITER_HOLDS_NULL(expected))
        return same_bytes(expected, observed);
    if (BSON_ITER_HOLDS_UTF8(expected) && BSON_ITER_HOLDS_UTF8(observed))
        return strcmp(bson_iter_utf8(expected, NULL), bson_iter_utf8(observed, NULL)) == 0;
    if (BSON_ITER_HOLDS_INT(expected) && BSON_ITER_HOLDS_INT(observed))
        return bson_iter_as_int64(expected) == bson_iter_as_int64(observed);
    if (BSON_ITER_HOLDS_BOOL(expected) && BSON_ITER_HOLDS_BOOL(observed))
        return bson_iter_bool(expected) == bson_iter_bool(observed);
    return false;
}

sp_verdict_t sp_judge(const bson_t *expected, const bson_t *observed)
{
    if (bson_has_field(observed, "infrastructure"))
        return SP_INFRASTRUCTURE;
    if (bson_has_field(observed, "unsupported"))
        return SP_UNSUPPORTED;

    int64_t expected_code, observed_code;
    bool expects_error = error_code(expected, &expected_code);
    bool observes_error = error_code(observed, &observed_code);
    if (expects_error && observes_error)
        return expected_code == observed_code ? SP_MATCH : SP_MISMATCH;
    if (expects_error)
        return SP_MISSING_ERROR;
    if (observes_error)
        return SP_UNEXPECTED_ERROR;

    bson_iter_t want, have;
    if (!bson_iter_init(&want, expected))
        return SP_MISMATCH;
    while (bson_iter_next(&want)) {
        if (!is_remark(bson_iter_key(&want)) &&
            (!bson_iter_init_find(&have, observed, bson_iter_key(&want)) ||
             !same_field(&want, &have)))
            return SP_MISMATCH;
    }
    return SP_MATCH;
}
