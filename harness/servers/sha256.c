#include "sha256.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

bool sp_sha256_file(const char *path, char text[SP_SHA256_TEXT], sp_error_t *error)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char buffer[65536];
    unsigned size = 0;
    bool ok = false;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot read %s: %s", path, strerror(errno));
        goto done;
    }
    ok = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    size_t got;
    while (ok && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        ok = EVP_DigestUpdate(context, buffer, got) == 1;
    if (ok && ferror(file)) {
        ok = sp_error_set(error, SP_ERROR_SYSTEM, EIO, "cannot read %s to its end", path);
        goto done;
    }
    ok = ok && EVP_DigestFinal_ex(context, digest, &size) == 1 && 2 * size + 1 == SP_SHA256_TEXT;
    if (!ok) {
        sp_error_set(error, SP_ERROR_SYSTEM, 0, "libcrypto cannot compute a SHA-256");
        goto done;
    }
    for (unsigned i = 0; i < size; i++)
        snprintf(text + 2 * (size_t)i, 3, "%02x", digest[i]);
done:
    if (file != NULL)
        fclose(file);
    EVP_MD_CTX_free(context);
    return ok;
}
