#include "paths.h"

#include "files.h"

#include <bson/bson.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == '\0' ? NULL : value;
}

/* Servers run in another folder, so nothing relative may reach them. */
static char *absolute(const char *path, sp_error_t *error)
{
    if (path[0] == '/')
        return bson_strdup(path);
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot find out the current folder: %s",
                     strerror(errno));
        return NULL;
    }
    return bson_strdup_printf("%s/%s", here, path);
}

static char *home_folder(void)
{
    const char *home = variable("HOME");
    if (home != NULL)
        return bson_strdup(home);
    struct passwd entry;
    struct passwd *found = NULL;
    char buffer[4096];
    if (getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) != 0 || found == NULL)
        return NULL;
    return bson_strdup(found->pw_dir);
}

char *sp_paths_cache(sp_error_t *error)
{
    const char *own = variable("SHARDPROOF_CACHE");
    if (own != NULL)
        return absolute(own, error);
    const char *xdg = variable("XDG_CACHE_HOME");
    if (xdg != NULL && xdg[0] == '/')
        return bson_strdup_printf("%s/shardproof", xdg);
    char *home = home_folder();
    if (home == NULL) {
        sp_error_set(error, SP_ERROR_SYSTEM, ENOENT,
                     "there is no home folder for the cache; set SHARDPROOF_CACHE to a folder");
        return NULL;
    }
    char *relative = bson_strdup_printf("%s/.cache/shardproof", home);
    char *path = absolute(relative, error);
    bson_free(relative);
    bson_free(home);
    return path;
}

char *sp_paths_cache_folder(const char *name, sp_error_t *error)
{
    char *cache = sp_paths_cache(error);
    if (cache == NULL)
        return NULL;
    char *path = bson_strdup_printf("%s/%s", cache, name);
    bson_free(cache);
    if (!sp_files_make_folder(path, error)) {
        sp_error_prefix(error, "the cache folder cannot be used (SHARDPROOF_CACHE names another)");
        bson_free(path);
        return NULL;
    }
    return path;
}

char *sp_paths_tmp(const char *wanted, sp_error_t *error)
{
    const char *tmp = wanted;
    if (tmp == NULL)
        tmp = variable("TMPDIR");
    return absolute(tmp == NULL ? "/tmp" : tmp, error);
}

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

char *sp_paths_program(const char *name)
{
    if (strchr(name, '/') != NULL)
        return is_program(name) ? absolute(name, NULL) : NULL;
    const char *path = variable("PATH");
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        char *candidate = length == 0 ? bson_strdup(name)
                                      : bson_strdup_printf("%.*s/%s", (int)length, path, name);
        if (is_program(candidate))
            return candidate;
        bson_free(candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}
