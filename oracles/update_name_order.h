/*
 * The sequence in which a server applies the paths of an update, which is the sequence of new
 * fields.
 */
#ifndef SHARDPROOF_UPDATE_NAME_ORDER_H
#define SHARDPROOF_UPDATE_NAME_ORDER_H

/* Names of fields of one object, parts of paths: negative, 0 or positive. By bytes, but of two that
 * begin with a digit the shorter comes first, leading zeros not counted. */
int sp_update_name_compare(const char *a, const char *b);

#endif
