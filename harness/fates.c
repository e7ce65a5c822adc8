#include "fates.h"

#include "../oracles/model.h"
#include "case_fields.h"

#include <string.h>

sp_fate_t *sp_fates_new(uint32_t count)
{
    return bson_malloc0((count + 1) * sizeof(sp_fate_t));
}

void sp_fates_free(sp_fate_t *fates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bson_free(fates[i].message);
    bson_free(fates);
}

void sp_fate_refuse(sp_fate_t *fate, int32_t code, const char *message)
{
    bson_free(fate->message);
    fate->refused = true;
    fate->code = code;
    fate->message = bson_strdup(message);
}

static bool read_write_error(const bson_iter_t *iter, sp_fate_t *fates, uint32_t count,
                             sp_error_t *error)
{
    static const char nonsense[] = "the router's writeErrors make no sense";
    bson_iter_t field;
    int64_t index = -1, code = 0;
    const char *message = "";
    if (!bson_iter_recurse(iter, &field))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "%s", nonsense);
    while (bson_iter_next(&field)) {
        if (strcmp(bson_iter_key(&field), "index") == 0)
            index = bson_iter_as_int64(&field);
        else if (strcmp(bson_iter_key(&field), "code") == 0)
            code = bson_iter_as_int64(&field);
        else if (strcmp(bson_iter_key(&field), "errmsg") == 0 && BSON_ITER_HOLDS_UTF8(&field))
            message = bson_iter_utf8(&field, NULL);
    }
    if (index < 0 || index >= count)
        return sp_error_set(error, SP_ERROR_INFRA, 0, "%s", nonsense);
    if (sp_code_is_trouble((int32_t)code))
        return sp_error_set(error, SP_ERROR_SERVER, (int32_t)code, "%s", message);
    sp_fate_refuse(&fates[index], (int32_t)code, message);
    return true;
}

bool sp_fates_read(const bson_t *reply, sp_fate_t *fates, uint32_t count, sp_error_t *error)
{
    bson_iter_t iter, element;
    if (!bson_iter_init_find(&iter, reply, "writeErrors"))
        return true;
    bool ok = bson_iter_recurse(&iter, &element) ||
              sp_error_set(error, SP_ERROR_INFRA, 0, "the router's writeErrors are no array");
    while (ok && bson_iter_next(&element))
        ok = read_write_error(&element, fates, count, error);
    return ok;
}

void sp_fate_answer(const sp_fate_t *fate, const sp_session_t *session, bson_t *answer)
{
    if (fate->refused)
        sp_answer_error(answer, fate->code, fate->message);
    else
        sp_answer_shards(answer, session, fate->shards);
}
