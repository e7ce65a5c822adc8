/*
 * An explanation's parts in plain words.
 *
 * All that return char * return a new string, to be freed with bson_free. Long values are cut, and
 * what could harm a terminal is replaced.
 */
#ifndef SHARDPROOF_EXPLAIN_WORDS_H
#define SHARDPROOF_EXPLAIN_WORDS_H

#include "explanation.h"

/* How many of `count` are kept and shown. */
uint32_t sp_explain_shown(uint32_t count);

/* The pattern as a document; to be freed with bson_destroy. */
bson_t *sp_explain_pattern(const sp_pattern_t *pattern);

/* 5, "a", MinKey, NaN. */
char *sp_words_of_value(const sp_value_t *value);

/* {x: 5, y: MinKey}: a shard key value, or the pattern. */
char *sp_words_of_key(const bson_t *key);

/* A filter or collation as relaxed Extended JSON. */
char *sp_words_of_document(const bson_t *doc);

/* "from 5 (in) to the end of the numbers". */
char *sp_words_of_interval(const sp_interval_t *interval);

/* Why a field is unbounded; the end of a sentence. */
const char *sp_words_of_unbounded(const sp_explanation_t *explanation, unsigned field);

/* "targeted", "partial" or "broadcast": whether one shard is asked, some or all; or "refused". */
const char *sp_words_of_reach(const sp_explanation_t *explanation);

/* "whole-key", "bounds", …: what decides. */
const char *sp_words_of_decision(const sp_explanation_t *explanation);

/* Why these shards and no others. */
char *sp_words_of_why(const sp_explanation_t *explanation);

#endif
