#include "hash.h"

#include "number.h"
#include "order.h"

#include <assert.h>
#include <openssl/evp.h>
#include <string.h>

struct sp_hasher {
    EVP_MD_CTX *context;
};

sp_hasher_t *sp_hasher_new(sp_error_t *error)
{
    sp_hasher_t *hasher = bson_malloc0(sizeof *hasher);
    hasher->context = EVP_MD_CTX_new();
    if (hasher->context == NULL || EVP_DigestInit_ex(hasher->context, EVP_md5(), NULL) != 1) {
        sp_error_set(error, SP_ERROR_SYSTEM, 0,
                     "OpenSSL refuses MD5, which hashed indexes are made of: is FIPS mode on?");
        sp_hasher_free(hasher);
        return NULL;
    }
    return hasher;
}

void sp_hasher_free(sp_hasher_t *hasher)
{
    if (hasher == NULL)
        return;
    EVP_MD_CTX_free(hasher->context);
    bson_free(hasher);
}

static void add(sp_hasher_t *hasher, const void *data, size_t size)
{
    int ok = EVP_DigestUpdate(hasher->context, data, size);
    assert(ok == 1);
}

static void add_int32(sp_hasher_t *hasher, int32_t number)
{
    uint32_t little = BSON_UINT32_TO_LE((uint32_t)number);
    add(hasher, &little, sizeof little);
}

static void add_int64(sp_hasher_t *hasher, int64_t number)
{
    uint64_t little = BSON_UINT64_TO_LE((uint64_t)number);
    add(hasher, &little, sizeof little);
}

static void add_value(sp_hasher_t *hasher, const sp_value_t *value, const char *name)
{
    add_int32(hasher, sp_type_class(value->type));
    if (name != NULL)
        add(hasher, name, strlen(name) + 1);
    if (sp_value_is_number(value)) {
        add_int64(hasher, sp_number_for_hash(value));
        return;
    }
    if (!sp_value_has_children(value)) {
        add(hasher, value->data, value->size);
        return;
    }
    if (value->type == BSON_TYPE_CODEWSCOPE) {
        uint32_t code_size;
        const char *code = sp_value_scoped_code(value, &code_size);
        add(hasher, code, code_size + 1);
    }
    bson_iter_t iter;
    bool sound = sp_value_children(value, &iter);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        add_value(hasher, &child, bson_iter_key(&iter));
    }
    /* the end mark: the class of no value, without a name */
    add_int32(hasher, sp_type_class(BSON_TYPE_EOD));
}

int64_t sp_hash_value(sp_hasher_t *hasher, const sp_value_t *value)
{
    const int32_t seed = 0;
    uint8_t digest[EVP_MAX_MD_SIZE];
    int ok = EVP_DigestInit_ex(hasher->context, NULL, NULL);
    assert(ok == 1);
    add_int32(hasher, seed);
    add_value(hasher, value, NULL);
    ok = EVP_DigestFinal_ex(hasher->context, digest, NULL);
    assert(ok == 1);

    uint64_t little;
    memcpy(&little, digest, sizeof little);
    return (int64_t)BSON_UINT64_FROM_LE(little);
}
