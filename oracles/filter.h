/*
 * A query filter as a tree.
 *
 * Two steps, each in its own file: sp_filter_parse says what the words of a filter mean, or refuses
 * them as a server does; sp_filter_normalize (filter_normal.h) brings the tree into the form that
 * targeting looks at. Nodes live in the arena and borrow values and paths from the filter document,
 * which must outlive them.
 */
#ifndef SHARDPROOF_FILTER_H
#define SHARDPROOF_FILTER_H

#include "arena.h"
#include "value.h"
#include "version.h"

typedef enum sp_node_kind {
    /* of children */
    SP_NODE_AND,
    SP_NODE_OR,
    SP_NODE_NOR,
    SP_NODE_NOT,               /* one child: $not, $ne, $nin, {$exists: false} */
    SP_NODE_ELEM_MATCH_OBJECT, /* {path: {$elemMatch: {…filter…}}}; one child, whose paths begin
                                  inside the element */
    SP_NODE_ELEM_MATCH_VALUE, /* {path: {$elemMatch: {$gt: 1, …}}}; the children have the path "" */
    /* leaves */
    SP_NODE_EQ, /* $eq, implicit equality; $all and $in spell out to it too */
    SP_NODE_LT,
    SP_NODE_LTE,
    SP_NODE_GT,
    SP_NODE_GTE,
    SP_NODE_IN, /* values and regexes */
    SP_NODE_REGEX,
    SP_NODE_EXISTS, /* {$exists: false} is a NOT around it */
    SP_NODE_TYPE,
    SP_NODE_MOD,
    SP_NODE_SIZE,
    SP_NODE_OTHER, /* what never bounds a shard key: $bitsAllSet, $where, $sampleRate, $expr of
                      a constant */
    SP_NODE_ALWAYS_TRUE,
    SP_NODE_ALWAYS_FALSE,
} sp_node_kind_t;

typedef struct sp_regex {
    const char *pattern, *options; /* both terminated */
} sp_regex_t;

typedef struct sp_node sp_node_t;
struct sp_node {
    sp_node_kind_t kind;
    const char *path; /* leaves and $elemMatch: dotted, "" inside $elemMatch of values; else NULL */
    sp_node_t **children;
    unsigned child_count, child_capacity;
    sp_value_t value; /* the comparand of EQ, LT, LTE, GT, GTE, SIZE; MOD: both numbers, an array */
    sp_value_t *values; /* IN: all but the regexes, as written */
    unsigned value_count, value_capacity;
    sp_regex_t *regexes; /* IN: any number; REGEX: one */
    unsigned regex_count, regex_capacity;
    bool type_number;   /* TYPE: "number" is among them */
    bson_type_t *types; /* TYPE: the others; MinKey and MaxKey as libbson numbers them */
    unsigned type_count, type_capacity;
};

/*
 * Parses `filter`, which sp_document_check must have accepted, as a find command's filter. The tree
 * is as the filter is written, nothing in it has been made simpler:
 *   - the root, each branch of $and, $or and $nor, and the child of SP_NODE_ELEM_MATCH_OBJECT is an
 *     AND, be it of one child or none;
 *   - operators on one path stand beside each other in the AND around them: {a: {$gt: 1, $lt: 5}}
 * is AND(GT, LT); those of $not have an AND of their own: {a: {$not: {$gt: 1}}} is NOT(AND(GT)),
 * but {a: {$not: /x/}} is NOT(REGEX);
 *   - $ne is NOT(EQ), $nin NOT(IN), {$exists: false} NOT(EXISTS);
 *   - $all is an AND of EQ, REGEX and ELEM_MATCH_…, and ALWAYS_FALSE where it is empty;
 *   - {$eq: /x/} is EQ with the regular expression as its value, {a: /x/} is REGEX;
 *   - $comment and {$jsonSchema: {}} leave nothing behind.
 * NULL and SP_ERROR_RULE with the server's code where a server refuses it: mostly 2 BadValue; 9
 * FailedToParse for an empty $type, numbers of $bitsAllSet and its like, $alwaysTrue; 14
 * TypeMismatch for $type and $jsonSchema; 51074 and 51075 for options given twice, 51091 for faulty
 * regular expressions, 51108 for their options; 4649201 for $where with scope. Observed on 6.0.5
 * and 6.0.27, which do not differ. NULL and SP_ERROR_INPUT for what this model does not know, which
 * is named: $text, $near and all of their kind, $_internal…, $jsonSchema that is not empty, and
 * $expr that is no constant. The last two would bound shard keys: a server makes {$and: [{x: {$gte:
 * 5}}, …]} of a schema with a minimum.
 */
sp_node_t *sp_filter_parse(sp_arena_t *arena, sp_version_t version, const bson_t *filter,
                           sp_error_t *error);

/* A new node without children; for parsing and normalizing. */
sp_node_t *sp_node_new(sp_arena_t *arena, sp_node_kind_t kind, const char *path);
void sp_node_add_child(sp_arena_t *arena, sp_node_t *node, sp_node_t *child);
void sp_node_add_value(sp_arena_t *arena, sp_node_t *node, const sp_value_t *value);
void sp_node_add_regex(sp_arena_t *arena, sp_node_t *node, const sp_regex_t *regex);
void sp_node_add_type(sp_arena_t *arena, sp_node_t *node, bson_type_t type);

#endif
