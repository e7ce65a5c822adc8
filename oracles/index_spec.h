/*
 * One index of a createIndexes command, and what of it is refused before the collection's other
 * indexes are looked at.
 *
 * Observed on 6.0.5 and 6.0.27; docs/rules-index.md has the sequence in which things are looked at.
 */
#ifndef SHARDPROOF_INDEX_SPEC_H
#define SHARDPROOF_INDEX_SPEC_H

#include "filter.h"
#include "index.h"
#include "index_pattern.h"

typedef struct sp_index_spec {
    sp_index_t index; /* its collation is the one that the index gets; simple: none */
    sp_index_kind_t kind;
    bool is_id;      /* of the _id index: it says nothing that the collection has not */
    bool has_others; /* options that no rule here looks at */
    bool has_odd_name;
    bool is_old;        /* v: 1 */
    sp_node_t *partial; /* NULL: none; lives in the arena */
} sp_index_spec_t;

/* Reads {key, name, …}, from which `spec` borrows. `collation` is the collection's, NULL for none.
 * SP_ERROR_RULE with the server's code where it is refused; SP_ERROR_INPUT for options that the
 * model does not know. */
bool sp_index_spec_read(sp_arena_t *arena, sp_version_t version, const bson_t *collation,
                        const bson_t *document, sp_index_spec_t *spec, sp_error_t *error);

/* Whether expireAfterSeconds can be (67): a number of seconds, on one field. Some versions look at
 * it in sp_index_spec_read, others after the other indexes (SP_TTL_LOOKED_AT_LATE). */
bool sp_index_spec_expires(const sp_index_spec_t *spec, sp_error_t *error);

#endif
