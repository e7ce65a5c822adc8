/*
 * libshardproof: a reference model of how MongoDB treats shard keys.
 *
 * Pure: no input or output, no clock, no globals but read-only tables. Documents that are given to
 * it must have passed sp_document_check (value.h); sp_json_read (extjson.h) gives such documents.
 */
#ifndef SHARDPROOF_H
#define SHARDPROOF_H

#include "answers.h"
#include "case.h"
#include "chunkmap.h"
#include "error.h"
#include "extjson.h"
#include "extract.h"
#include "hash.h"
#include "layout.h"
#include "model.h"
#include "number.h"
#include "order.h"
#include "pattern.h"
#include "storage.h"
#include "value.h"
#include "verdict.h"
#include "version.h"

#endif
