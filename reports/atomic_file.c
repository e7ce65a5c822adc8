#include "atomic_file.h"

#include <bson/bson.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_ATTEMPTS 16

static const char *remedy(int code)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        return "free some space or write elsewhere";
    case EFBIG:
        return "raise the limit on file sizes (ulimit -f) or write elsewhere";
    case EROFS:
    case EACCES:
    case EPERM:
        return "write to a folder that you may write to";
    case ENOTDIR:
    case EEXIST:
        return "remove or rename the file that is where a folder is needed, or write elsewhere";
    case EISDIR:
        return "remove or rename the folder that is where a file is needed, or write elsewhere";
    case ENOENT:
        return "make its folder first";
    case ENAMETOOLONG:
        return "use a shorter path";
    case EMFILE:
    case ENFILE:
        return "raise the limit on open files (ulimit -n)";
    case EIO:
        return "check the disk";
    default:
        return "write elsewhere";
    }
}

static bool refuse(const char *path, int code, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_SYSTEM, code, "cannot write %s: %s; %s", path,
                        strerror(code), remedy(code));
}

/* A rename over a device would take the device away. */
static bool check_target(const char *path, sp_error_t *error)
{
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))
        return true;
    if (S_ISDIR(info.st_mode))
        return refuse(path, EISDIR, error);
    return sp_error_set(error, SP_ERROR_SYSTEM, EINVAL,
                        "cannot write %s: it is no regular file; give the path of a file", path);
}

/* Opens a new file next to `path` and puts its name into `*temporary`. The mode is left to the
 * umask, as for any other file, hence not mkstemp. */
static int open_temporary(const char *path, char **temporary)
{
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
    for (int i = 0; i < NAME_ATTEMPTS; i++) {
        uint64_t name;
        if (getrandom(&name, sizeof name, 0) != (ssize_t)sizeof name)
            return -1;
        *temporary = bson_strdup_printf("%.*s.shardproof-%016" PRIx64, folder, path, name);
        int file = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0)
            return file;
        int code = errno;
        bson_free(*temporary);
        *temporary = NULL;
        errno = code;
        if (code != EEXIST)
            return -1;
    }
    return -1;
}

static bool write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
    return true;
}

static bool write_file(const char *path, const char *data, size_t size, bool synced,
                       sp_error_t *error)
{
    if (!check_target(path, error))
        return false;

    char *temporary = NULL;
    int file = open_temporary(path, &temporary);
    if (file < 0)
        return refuse(path, errno, error);

    int code = 0;
    if (!write_all(file, data, size) || (synced && fsync(file) != 0))
        code = errno;
    if (close(file) != 0 && code == 0)
        code = errno;
    if (code == 0 && rename(temporary, path) != 0)
        code = errno;
    if (code != 0)
        unlink(temporary);
    bson_free(temporary);
    return code == 0 || refuse(path, code, error);
}

bool sp_write_file(const char *path, const char *data, size_t size, sp_error_t *error)
{
    return write_file(path, data, size, true, error);
}

bool sp_write_file_unsynced(const char *path, const char *data, size_t size, sp_error_t *error)
{
    return write_file(path, data, size, false, error);
}

bool sp_sync_folder(const char *path, sp_error_t *error)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = folder < 0 || syncfs(folder) != 0 ? errno : 0;
    if (folder >= 0)
        close(folder);
    return code == 0 || refuse(path, code, error);
}

/* 0 or the errno of why there is no such folder now. */
static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    int code = errno;
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? 0 : code;
}

bool sp_make_folders(const char *path, sp_error_t *error)
{
    char *folder = bson_strdup(path);
    int code = 0;
    char *end = folder;
    do {
        end = strchr(end + strspn(end, "/"), '/');
        if (end != NULL)
            *end = '\0';
        code = make_folder(folder);
        if (end != NULL && code == 0)
            *end = '/';
    } while (end != NULL && code == 0);
    if (code != 0)
        sp_error_set(error, SP_ERROR_SYSTEM, code, "cannot make the folder %s: %s; %s", folder,
                     strerror(code), remedy(code));
    bson_free(folder);
    return code == 0;
}
