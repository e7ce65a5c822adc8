/*
 * What a shard refuses to store, whatever the shard key: deep nesting, and rules for _id.
 */
#ifndef SHARDPROOF_STORAGE_H
#define SHARDPROOF_STORAGE_H

#include "value.h"

/* Levels of objects and arrays inside a stored document; scopes of code do not count. */
#define SP_STORED_LEVELS_MAX 180

/* SP_ERROR_RULE with the server's code where a shard refuses to insert `doc`: 15 Overflow for more
 * levels than SP_STORED_LEVELS_MAX, before all else; 53 InvalidIdField for an _id that is an array,
 * a regular expression or undefined; 52 DollarPrefixedFieldName for an _id object with a field name
 * that begins with $, at any depth; 2 BadValue for a second _id that is none of these. The field
 * that comes first decides. Observed on 6.0.5 and 6.0.27: _id in the `route` area, nesting by hand.
 */
bool sp_storage_check(const bson_t *doc, sp_error_t *error);

/* Whether a shard stores something else than `value` in a field at the top of a document, save _id:
 * the current time in place of Timestamp(0, 0). */
bool sp_storage_replaces(const sp_value_t *value);

/* Whether a field name inside the object, array or scope begins with $, at any depth. */
bool sp_storage_holds_dollar_name(const sp_value_t *value);

#endif
