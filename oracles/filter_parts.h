/*
 * What the files of the filter parser share; nobody else's business.
 */
#ifndef SHARDPROOF_FILTER_PARTS_H
#define SHARDPROOF_FILTER_PARTS_H

#include "filter.h"

/* A server's error codes. */
enum {
    SP_FILTER_BAD_VALUE = 2,
    SP_FILTER_FAILED_TO_PARSE = 9,
    SP_FILTER_TYPE_MISMATCH = 14,
    SP_FILTER_OPTIONS_BEFORE_REGEX = 51074,
    SP_FILTER_OPTIONS_AFTER_REGEX = 51075,
    SP_FILTER_BAD_REGEX = 51091,
    SP_FILTER_BAD_REGEX_OPTION = 51108,
    SP_FILTER_WHERE_WITH_SCOPE = 4649201,
};

typedef struct sp_filter_parser {
    sp_arena_t *arena;
    sp_version_t version;
    sp_error_t *error;
    bool in_element; /* below the object form of $elemMatch */
} sp_filter_parser_t;

/* Fails with SP_ERROR_INPUT that names the operator; returns false. */
bool sp_filter_not_known(sp_filter_parser_t *parser, const char *operator_name);

/* Adds what the fields of a filter say, the whole one or one inside $or, $elemMatch, …, to `into`.
 */
bool sp_filter_parse_fields(sp_filter_parser_t *parser, const sp_value_t *filter, sp_node_t *into);

/* Adds what {path: value} says to `into`. */
bool sp_filter_parse_field(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                           sp_node_t *into);

/* {path: {$eq: value}}. */
bool sp_filter_parse_equality(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                              sp_node_t *into);

/* Whether `name` is one of the operators that stand at the top level. */
bool sp_filter_is_top_level(const char *name);

/* {path: /…/}, as a leaf; NULL where it is refused. */
sp_node_t *sp_filter_regex_leaf(sp_filter_parser_t *parser, const char *path,
                                const sp_value_t *value);
/* The parts of a regex value, checked. */
bool sp_filter_regex_of(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                        sp_regex_t *regex);
/* $regex as it stands among `operators`, the object with $options, before or behind. */
bool sp_filter_parse_regex(sp_filter_parser_t *parser, const char *path,
                           const sp_value_t *operators, sp_node_t *into);

/* $type. */
bool sp_filter_parse_type(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                          sp_node_t *into);

/* A whole number of any type that fits an int64. */
bool sp_filter_whole_number(const sp_value_t *value, int64_t *number);
/* The same from 0 to INT32_MAX. */
bool sp_filter_is_count(const sp_value_t *value);
/* What $mod takes: any number whose whole part fits an int64; *zero: that part is 0. */
bool sp_filter_is_mod_part(const sp_value_t *value, bool *zero);
/* A number between 0 and 1. */
bool sp_filter_is_rate(const sp_value_t *value);

#endif
