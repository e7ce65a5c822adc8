#include "files.h"

#include <bson/bson.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define OPEN_FOLDERS_MAX 16
#define BYTES_PER_MB     1048576U

static bool cannot(sp_error_t *error, const char *what, const char *path)
{
    int reason = errno;
    return sp_error_set(error, SP_ERROR_SYSTEM, reason, "cannot %s %s: %s", what, path,
                        strerror(reason));
}

static bool make_one(const char *path, sp_error_t *error)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return true;
    return cannot(error, "make the folder", path);
}

bool sp_files_make_folder(const char *path, sp_error_t *error)
{
    char *copy = bson_strdup(path);
    bool ok = true;
    for (char *slash = strchr(copy + 1, '/'); ok && slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = make_one(copy, error);
        *slash = '/';
    }
    ok = ok && make_one(copy, error);
    struct stat about;
    if (ok && (stat(copy, &about) != 0 || !S_ISDIR(about.st_mode))) {
        errno = ENOTDIR;
        ok = cannot(error, "make the folder", path);
    }
    bson_free(copy);
    return ok;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)where;
    if (type == FTW_DP || type == FTW_D || type == FTW_DNR)
        return rmdir(path) == 0 || errno == ENOENT ? 0 : -1;
    return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

bool sp_files_remove(const char *path, sp_error_t *error)
{
    struct stat about;
    if (lstat(path, &about) != 0)
        return errno == ENOENT ? true : cannot(error, "remove", path);
    if (nftw(path, remove_one, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS) != 0)
        return cannot(error, "remove", path);
    return true;
}

static bool write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, data, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        data += done;
        length -= (size_t)done;
    }
    return true;
}

bool sp_files_write(const char *path, const char *text, sp_error_t *error)
{
    char *draft = bson_strdup_printf("%s.%ld.new", path, (long)getpid());
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_all(fd, text, strlen(text));
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(draft, path) != 0) {
        ok = false;
        reason = errno;
    }
    if (!ok) {
        (void)unlink(draft);
        errno = reason;
        cannot(error, "write", path);
    }
    bson_free(draft);
    return ok;
}

/* Reads up to `limit` bytes from `offset` on. */
static char *read_part(int fd, off_t offset, size_t limit, size_t *length)
{
    char *text = bson_malloc(limit + 1);
    size_t have = 0;
    while (have < limit) {
        ssize_t got = pread(fd, text + have, limit - have, offset + (off_t)have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            bson_free(text);
            return NULL;
        }
        if (got == 0)
            break;
        have += (size_t)got;
    }
    text[have] = '\0';
    *length = have;
    return text;
}

char *sp_files_read(const char *path, size_t limit, sp_error_t *error)
{
    char *text = NULL;
    size_t length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        text = read_part(fd, 0, limit + 1, &length);
    if (text == NULL) {
        cannot(error, "read", path);
    } else if (length > limit) {
        sp_error_set(error, SP_ERROR_INPUT, EFBIG, "%s is longer than the %zu bytes it may have",
                     path, limit);
        bson_free(text);
        text = NULL;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

static char *tail_of(const char *path, size_t limit, size_t *length)
{
    char *text = NULL;
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0) {
        off_t from = about.st_size > (off_t)limit ? about.st_size - (off_t)limit : 0;
        text = read_part(fd, from, limit, length);
    }
    close(fd);
    return text;
}

char *sp_files_tail(const char *path, size_t limit)
{
    size_t length = 0;
    return tail_of(path, limit, &length);
}

bool sp_files_copy_tail(const char *from, const char *to, size_t limit, sp_error_t *error)
{
    size_t length = 0;
    char *text = tail_of(from, limit, &length);
    if (text == NULL)
        return cannot(error, "read", from);
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_all(fd, text, length);
    if (!ok)
        cannot(error, "write", to);
    if (fd >= 0 && close(fd) != 0 && ok)
        ok = cannot(error, "write", to);
    bson_free(text);
    return ok;
}

bool sp_files_check_space(const char *path, uint64_t need_mb, const char *remedy, sp_error_t *error)
{
    struct statvfs about;
    if (statvfs(path, &about) != 0) {
        int reason = errno;
        return sp_error_set(error, SP_ERROR_SYSTEM, reason, "the folder %s cannot be used: %s; %s",
                            path, strerror(reason), remedy);
    }
    uint64_t free_mb = (uint64_t)about.f_bavail * about.f_frsize / BYTES_PER_MB;
    if (free_mb >= need_mb)
        return true;
    return sp_error_set(error, SP_ERROR_SYSTEM, ENOSPC,
                        "%s has %llu MiB left, %llu MiB are needed: %s", path,
                        (unsigned long long)free_mb, (unsigned long long)need_mb, remedy);
}
