/*
 * Collations: how much of them targeting depends on.
 *
 * Chunks are laid out by simple binary comparison. Under any other collation strings (and what can
 * hold them) cannot be looked up in them.
 */
#ifndef SHARDPROOF_COLLATION_H
#define SHARDPROOF_COLLATION_H

#include "value.h"

/* Whether a server accepts `collation` for a query ({locale: "fr", strength: 2, …}; NULL and an
 * empty one mean none). SP_ERROR_RULE with its code where not: 2 BadValue for unknown locales and
 * words and for what does not go together, 14 TypeMismatch, 161 IncompatibleCollationVersion, 40413
 * for a field twice, 40414 without locale, 40415 for unknown fields, 51024 for strengths. Observed
 * on 6.0.5 and 6.0.27, which do not differ. SP_ERROR_INPUT for the few locales that a server takes
 * or refuses depending on which it was asked for before (zh@collation=stroke is refused after
 * zh_Hant). */
bool sp_collation_check(const bson_t *collation, sp_error_t *error);

/* No collation (NULL, {}) or {locale: "simple"}. */
bool sp_collation_is_simple(const bson_t *collation);

/* Whether a server takes both, which it must accept, for the same. Defaults count as if they were
 * spelled out as in listCollections; `version` and what stands beside "simple" do not count. */
bool sp_collation_same(const bson_t *a, const bson_t *b);

/* Strings, objects and arrays, but not symbols: what compares differently under a collation. */
bool sp_collation_concerns(bson_type_t type);

#endif
