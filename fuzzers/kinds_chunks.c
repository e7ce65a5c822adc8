#include "kinds_areas.h"

#include <stddef.h>
#include <stdio.h>

static const char operation[] = "operation", number[] = "numInitialChunks", zones[] = "zones";
static const char presplit[] = "presplitHashedZones", collection[] = "collection";

static const sp_kind_t kinds[] = {
    {operation, "shardCollection"},
    {operation, "updateZone"},
    {operation, "removeZone"},
    {"key shape", "x:1"},
    {"key shape", "x:hashed"},
    {"key shape", "x:1,y:1"},
    {"key shape", "x:hashed,y:1"},
    {"key shape", "x:1,y:hashed"},
    {"key shape", "x:1,y:hashed,z:1"},
    {"key shape", "x:1,y:1,z:1"},
    {"key shape", "x:1,y:1,z:hashed"},
    {"key shape", "x:hashed,y:1,z:1,v:1"},
    {"key shape", "a.b:1,a.c:hashed"},
    {"key shape", "_id:1"},
    {"key shape", "_id:hashed"},
    {"key shape", "x:1,_id.a:hashed"},
    {number, "none"},
    {number, "0"},
    {number, "1"},
    {number, "up to 10"},
    {number, "up to 1000"},
    {number, "many"},
    {number, "beyond 32 bits"},
    {number, "negative"},
    {number, "no number"},
    {presplit, "true"},
    {presplit, "false"},
    {presplit, "no boolean"},
    {zones, "none"},
    {zones, "one range"},
    {zones, "some ranges"},
    {collection, "sharded"},
    {collection, "not sharded"},
    {collection, "missing"},
    {collection, "empty"},
    {collection, "populated"},
    {"outcome", "one chunk"},
    {"outcome", "some chunks"},
    {"outcome", "zones"},
    {"outcome", "error 2"},
    {"outcome", "error 9"},
    {"outcome", "error 14"},
    {"outcome", "error 61"},
    {"outcome", "error 72"},
    {"outcome", "error 177"},
    {"outcome", "error 178"},
    {"outcome", "error 349"},
    {"outcome", "error 16634"},
    {"outcome", "error 31387"},
    {"outcome", "error 31388"},
    {"outcome", "error 31389"},
    {"outcome", "error 31390"},
    {"outcome", "error 31391"},
    {"outcome", "error 31412"},
    {"outcome", "error 50973"},
};

const sp_kind_t *sp_kinds_declared_chunks(unsigned *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

/* Stands on a field of the question, or of what stands in its field `options`. */
static bool find(const bson_iter_t *question, const char *name, bson_iter_t *field)
{
    *field = *question;
    return bson_iter_find(field, name);
}

static bool find_option(const bson_iter_t *question, const char *name, bson_iter_t *field)
{
    bson_iter_t options;
    return find(question, "options", &options) && BSON_ITER_HOLDS_DOCUMENT(&options) &&
           bson_iter_recurse(&options, field) && bson_iter_find(field, name);
}

static unsigned count_elements(const bson_iter_t *array)
{
    bson_iter_t iter;
    unsigned count = 0;
    if (bson_iter_recurse(array, &iter)) {
        while (bson_iter_next(&iter))
            count++;
    }
    return count;
}

static const char *name_number(const bson_iter_t *question)
{
    bson_iter_t field;
    if (!find_option(question, number, &field) || BSON_ITER_HOLDS_NULL(&field))
        return "none";
    if (BSON_ITER_HOLDS_DECIMAL128(&field))
        return "decimal";
    if (!BSON_ITER_HOLDS_NUMBER(&field))
        return "no number";
    int64_t value = bson_iter_as_int64(&field);
    if (value < 0)
        return "negative";
    if (value < 2)
        return value == 0 ? "0" : "1";
    return value <= 10           ? "up to 10"
           : value <= 1000       ? "up to 1000"
           : value <= UINT32_MAX ? "many"
                                 : "beyond 32 bits";
}

static const char *name_presplit(const bson_iter_t *question)
{
    bson_iter_t field;
    if (!find_option(question, presplit, &field))
        return "none";
    if (!BSON_ITER_HOLDS_BOOL(&field))
        return "no boolean";
    return bson_iter_bool(&field) ? "true" : "false";
}

static const char *name_zones(const bson_iter_t *question)
{
    bson_iter_t field;
    unsigned count = find(question, zones, &field) ? count_elements(&field) : 0;
    return count == 0 ? "none" : count == 1 ? "one range" : "some ranges";
}

static const char *name_collection(const bson_iter_t *question)
{
    bson_iter_t field;
    if (find(question, "empty", &field) && !bson_iter_bool(&field))
        return "populated";
    return find(question, "exists", &field) && bson_iter_bool(&field) ? "empty" : "missing";
}

static bool add_update(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t field;
    bool removes = find(question, "zone", &field) && BSON_ITER_HOLDS_NULL(&field);
    bool sharded = find(question, "key", &field) && BSON_ITER_HOLDS_DOCUMENT(&field);
    return add(context, operation, removes ? "removeZone" : "updateZone") &&
           (!sharded || sp_kinds_add_shape(&field, add, context)) &&
           add(context, zones, name_zones(question)) &&
           add(context, collection, sharded ? "sharded" : "not sharded");
}

static bool add_sharding(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t field;
    return add(context, operation, "shardCollection") &&
           (!find(question, "key", &field) || sp_kinds_add_shape(&field, add, context)) &&
           add(context, number, name_number(question)) &&
           add(context, presplit, name_presplit(question)) &&
           add(context, zones, name_zones(question)) &&
           add(context, collection, name_collection(question));
}

static const char *name_outcome(const bson_t *answer)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, answer, "chunks"))
        return "zones";
    if (!BSON_ITER_HOLDS_ARRAY(&iter))
        return "many chunks";
    unsigned count = count_elements(&iter);
    return count == 1 ? "one chunk" : count <= 1000 ? "some chunks" : "many chunks";
}

void sp_kinds_of_chunks(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                        sp_kind_add_t *add, void *context)
{
    bson_iter_t field;
    (void)test;
    if (find(question, "op", &field) ? add_update(question, add, context)
                                     : add_sharding(question, add, context))
        sp_kinds_add_outcome(answer, name_outcome(answer), add, context);
}
