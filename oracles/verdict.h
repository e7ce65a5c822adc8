/*
 * The judge: holds an observed answer against an expected one.
 *
 * An answer is a BSON document in the form that `ask` prints:
 *     {hash: "-123"}                       decimal string of a signed 64-bit value
 *     {order: -1}                          int32: -1, 0 or 1
 *     {shards: ["s1", …]}                  a set: the sequence does not count
 *     {complete: true, found: true}        what soundness.h asks for; observed also with a `cause`,
 *                                          and the documents `missing` and `extra`, which don't
 *                                          count
 *     {chunks: [[min, max, "s1"], …]}      and any other array or document: byte for byte
 *     {n: 1, nModified: 0}, {ok: true}     counts and flags
 *     {error: {code: 61, message: "…"}}    only the code is compared
 * and, observed only:
 *     {infrastructure: "why"}              the server died, hung or answered nonsense
 *     {unsupported: "why"}                 the server refused cleanly what it does not have
 * Fields that are observed but not expected don't count.
 */
#ifndef SHARDPROOF_VERDICT_H
#define SHARDPROOF_VERDICT_H

#include <bson/bson.h>

typedef enum sp_verdict {
    SP_MATCH = 0,
    SP_MISMATCH,         /* a different result, or a different error code */
    SP_UNEXPECTED_ERROR, /* an error where a result was expected */
    SP_MISSING_ERROR,    /* a result where an error was expected */
    SP_UNSUPPORTED,
    SP_KNOWN, /* in the expectations file, with its reason */
    SP_FIXED, /* in the expectations file, but agrees now */
    SP_INFRASTRUCTURE,
    SP_VERDICTS /* how many there are */
} sp_verdict_t;

/* "match", "mismatch", "unexpected-error", … as reports and the command line spell it. */
const char *sp_verdict_name(sp_verdict_t verdict);

/* Whether the verdict makes a run exit with 1: a difference between model and server. */
bool sp_verdict_differs(sp_verdict_t verdict);

sp_verdict_t sp_judge(const bson_t *expected, const bson_t *observed);

#endif
