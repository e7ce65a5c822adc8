#include "files.h"
#include "install.h"
#include "paths.h"
#include "run.h"

#include <bson/bson.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_MS     30000
#define VERSION_OUTPUT 4096

sp_server_spec_t sp_server_spec(const char *spec)
{
    if (strncmp(spec, "mongodb://", 10) == 0 || strncmp(spec, "mongodb+srv://", 14) == 0)
        return SP_SERVER_URI;
    size_t numeric = strspn(spec, "0123456789.");
    return numeric > 0 && spec[numeric] == '\0' ? SP_SERVER_VERSION : SP_SERVER_PATH;
}

/* Asks the program what it is. */
static bool is_mongod(const char *path, sp_error_t *error)
{
    char *tmp = sp_paths_tmp(NULL, error);
    if (tmp == NULL)
        return false;
    char *log = bson_strdup_printf("%s/shardproof-version-XXXXXX", tmp);
    bson_free(tmp);
    int fd = mkstemp(log);
    if (fd < 0) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot write to %s: %s; set TMPDIR", log,
                     strerror(errno));
        bson_free(log);
        return false;
    }
    close(fd);
    const char *argv[] = {path, "--version", NULL};
    bool ok = sp_run_program(argv, NULL, log, VERSION_MS, error);
    char *output = ok ? sp_files_tail(log, VERSION_OUTPUT) : NULL;
    if (!ok)
        sp_error_prefix(error, "%s does not run as a mongod", path);
    else if (output == NULL || strstr(output, "db version v") == NULL)
        ok = sp_error_set(error, SP_ERROR_USAGE, 0,
                          "%s is no mongod: --version does not name a db version", path);
    bson_free(output);
    unlink(log);
    bson_free(log);
    return ok;
}

static bool find_path(const char *spec, sp_binary_t *binary, sp_error_t *error)
{
    char list[200];
    sp_pins_list(list, sizeof list);
    struct stat about;
    if (stat(spec, &about) != 0)
        return sp_error_set(error, SP_ERROR_USAGE, errno,
                            "%s: %s; a server is one of the versions %s, the path of a mongod, or "
                            "mongodb://host:port/",
                            spec, strerror(errno), list);
    char *path = sp_paths_program(spec);
    if (path == NULL && strchr(spec, '/') == NULL) {
        char *here = bson_strdup_printf("./%s", spec);
        path = sp_paths_program(here);
        bson_free(here);
    }
    if (path == NULL)
        return sp_error_set(error, SP_ERROR_USAGE, EACCES,
                            "%s is no program that can be run; give the path of a mongod", spec);
    bool ok = is_mongod(path, error);
    if (ok && strlen(path) >= sizeof binary->mongod)
        ok = sp_error_set(error, SP_ERROR_USAGE, ENAMETOOLONG, "the path %s is too long", spec);
    if (ok)
        snprintf(binary->mongod, sizeof binary->mongod, "%s", path);
    bson_free(path);
    return ok;
}

bool sp_binary_find(const char *spec, sp_binary_t *binary, sp_error_t *error)
{
    memset(binary, 0, sizeof *binary);
    switch (sp_server_spec(spec)) {
    case SP_SERVER_VERSION:
        return sp_install(spec, binary, error);
    case SP_SERVER_PATH:
        return find_path(spec, binary, error);
    case SP_SERVER_URI:
        break;
    }
    return sp_error_set(error, SP_ERROR_USAGE, 0,
                        "a connection string names a server that runs already, not one to start");
}
