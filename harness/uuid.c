#include "uuid.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

bool sp_uuid_draw(uint8_t uuid[SP_UUID_SIZE], sp_error_t *error)
{
    if (getrandom(uuid, SP_UUID_SIZE, 0) != SP_UUID_SIZE)
        return sp_error_set(error, SP_ERROR_SYSTEM, errno, "the system gives no random bytes: %s",
                            strerror(errno));
    uuid[6] = (uuid[6] & 0x0f) | 0x40;
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
    return true;
}
