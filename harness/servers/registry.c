#include "registry.h"

#include "files.h"
#include "paths.h"
#include "record.h"

#include <bson/bson.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RECORD_MAX       65536
#define RECORDS_MAX      1000
#define KILL_MS          10000
#define STRAYS_MAX       256
#define SWEEP_LOCK_TRIES 100

static char *record_path(const char *id, sp_error_t *error)
{
    char *folder = sp_paths_cache_folder("clusters", error);
    if (folder == NULL)
        return NULL;
    char *path = bson_strdup_printf("%s/%s.json", folder, id);
    bson_free(folder);
    return path;
}

bool sp_registry_write(const sp_record_t *record, sp_error_t *error)
{
    char *path = record_path(record->id, error);
    if (path == NULL)
        return false;
    char *text = sp_record_to_json(record);
    bool ok = sp_files_write(path, text, error);
    bson_free(text);
    bson_free(path);
    return ok;
}

unsigned sp_record_alive(const sp_record_t *record)
{
    unsigned alive = 0;
    for (unsigned i = 0; i < record->count; i++) {
        const sp_process_t *process = &record->servers[i].process;
        if (sp_process_alive(process) && sp_process_serves(process->pid, record->folder))
            alive++;
    }
    return alive;
}

bool sp_record_in_use(const sp_record_t *record)
{
    if (record->elsewhere)
        return true;
    if (record->detached && record->ready)
        return sp_record_alive(record) > 0;
    return sp_process_alive(&record->owner);
}

/* The record only counts servers it names, but one may have been started just before its owner was
 * killed; all are known by the folder on their command line. */
static bool end_servers(const sp_record_t *record, sp_error_t *error)
{
    sp_process_t *strays = bson_malloc0(STRAYS_MAX * sizeof *strays);
    size_t count = sp_process_find(record->folder, strays, STRAYS_MAX);
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        if (!sp_process_kill(&strays[i], KILL_MS))
            ok = sp_error_set(error, SP_ERROR_SYSTEM, 0, "server %ld of cluster %s cannot be ended",
                              (long)strays[i].pid, record->id);
    bson_free(strays);
    return ok;
}

/* A record is only a file: before removing a folder because of it, see that it is one of ours. */
static bool remove_folder(const sp_record_t *record, sp_error_t *error)
{
    struct stat about;
    if (lstat(record->folder, &about) != 0 && errno == ENOENT)
        return true;
    if (!S_ISDIR(about.st_mode) || about.st_uid != geteuid())
        return sp_error_set(error, SP_ERROR_SYSTEM, EPERM,
                            "%s is no folder of this user and is left alone", record->folder);
    return sp_files_remove(record->folder, error);
}

bool sp_registry_end(const sp_record_t *record, sp_error_t *error)
{
    char *path = record_path(record->id, error);
    bool ok = path != NULL && end_servers(record, error) && remove_folder(record, error) &&
              sp_files_remove(path, error);
    bson_free(path);
    return ok;
}

static void put_aside(const char *folder, const char *name, const char *why)
{
    char *bad = bson_strdup_printf("%s/bad", folder);
    char *from = bson_strdup_printf("%s/%s", folder, name);
    char *to = bson_strdup_printf("%s/%s", bad, name);
    bool moved = sp_files_make_folder(bad, NULL) && rename(from, to) == 0;
    fprintf(stderr, "shardproof: the cluster record %s cannot be understood (%s); %s %s\n", from,
            why, moved ? "moved to" : "it could not be moved to", to);
    bson_free(bad);
    bson_free(from);
    bson_free(to);
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name);
    return length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
}

bool sp_registry_read(sp_record_t **records, size_t *count, sp_error_t *error)
{
    *records = NULL;
    *count = 0;
    char *folder = sp_paths_cache_folder("clusters", error);
    if (folder == NULL)
        return false;
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot read %s: %s", folder, strerror(errno));
        bson_free(folder);
        return false;
    }
    struct dirent *entry;
    while (*count < RECORDS_MAX && (entry = readdir(open_folder)) != NULL) {
        if (!has_suffix(entry->d_name, ".json"))
            continue;
        sp_error_t why = {0};
        sp_record_t record = {0};
        char *path = bson_strdup_printf("%s/%s", folder, entry->d_name);
        char *text = sp_files_read(path, RECORD_MAX, &why);
        /* Another sweep may have removed it meanwhile. */
        bool gone = text == NULL && why.code == ENOENT;
        if (text != NULL && sp_record_from_json(text, entry->d_name, &record, &why)) {
            *records = bson_realloc(*records, (*count + 1) * sizeof **records);
            (*records)[(*count)++] = record;
        } else if (!gone) {
            put_aside(folder, entry->d_name, why.message);
        }
        bson_free(path);
        bson_free(text);
    }
    closedir(open_folder);
    bson_free(folder);
    return true;
}

void sp_records_free(sp_record_t *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sp_record_clear(&records[i]);
    bson_free(records);
}

/* One sweep at a time; not getting the lock only means that another is at it. */
static int lock_sweep(void)
{
    char *folder = sp_paths_cache_folder("clusters", NULL);
    if (folder == NULL)
        return -1;
    char *path = bson_strdup_printf("%s/lock", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool locked = false;
    for (int i = 0; fd >= 0 && !locked && i < SWEEP_LOCK_TRIES; i++) {
        locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (!locked)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (fd >= 0 && !locked) {
        close(fd);
        fd = -1;
    }
    bson_free(folder);
    bson_free(path);
    return fd;
}

/* Removes "ID.json.PID.new", which a writer leaves that is killed before it renames it. */
static void remove_drafts(void)
{
    char *folder = sp_paths_cache_folder("clusters", NULL);
    DIR *open_folder = folder == NULL ? NULL : opendir(folder);
    struct dirent *entry;
    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL) {
        const char *pid = strstr(entry->d_name, ".json.");
        if (pid == NULL || !has_suffix(entry->d_name, ".new") ||
            sp_process_of((pid_t)strtol(pid + strlen(".json."), NULL, 10)).pid > 0)
            continue;
        char *path = bson_strdup_printf("%s/%s", folder, entry->d_name);
        sp_files_remove(path, NULL);
        bson_free(path);
    }
    if (open_folder != NULL)
        closedir(open_folder);
    bson_free(folder);
}

static bool sweep_one(const sp_record_t *record)
{
    if (sp_record_in_use(record))
        return false;
    sp_error_t why = {0};
    sp_process_t survivor;
    size_t survivors = sp_process_find(record->folder, &survivor, 1);
    if (!sp_registry_end(record, &why)) {
        fprintf(stderr, "shardproof: cluster %s was left behind and cannot be removed: %s\n",
                record->id, why.message);
        return false;
    }
    char owner[64] = "before this machine was restarted";
    if (record->owner.pid > 0)
        snprintf(owner, sizeof owner, "by process %ld", (long)record->owner.pid);
    fprintf(stderr, "shardproof: removed cluster %s, left behind %s%s (%s)\n", record->id, owner,
            survivors > 0 ? ", and ended its servers" : "", record->folder);
    return true;
}

unsigned sp_registry_sweep(void)
{
    unsigned removed = 0;
    sp_record_t *records = NULL;
    size_t count = 0;
    sp_error_t why = {0};
    int lock = lock_sweep();
    if (lock < 0)
        return 0;
    if (!sp_registry_read(&records, &count, &why))
        fprintf(stderr, "shardproof: the records of clusters cannot be read: %s\n", why.message);
    for (size_t i = 0; i < count; i++)
        removed += sweep_one(&records[i]) ? 1 : 0;
    sp_records_free(records, count);
    remove_drafts();
    close(lock);
    return removed;
}
