#include "cluster_internal.h"
#include "files.h"
#include "paths.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LOG_KEEP_MAX (64UL * 1024 * 1024)
#define KEPT_STARTS  10

bool sp_cluster_save_logs(const sp_cluster_t *cluster, const char *folder, sp_error_t *error)
{
    if (!sp_files_make_folder(folder, error))
        return false;
    bool ok = true;
    for (unsigned i = 0; i < cluster->count; i++) {
        const sp_server_t *server = &cluster->servers[i];
        char *to = bson_strdup_printf("%s/%s.log", folder, server->name);
        struct stat about;
        if (stat(server->log, &about) == 0)
            ok = sp_files_copy_tail(server->log, to, LOG_KEEP_MAX, error) && ok;
        bson_free(to);
    }
    return ok;
}

/* The entry that was not changed for the longest time, and how many there are. */
static char *oldest_of(const char *folder, unsigned *count)
{
    char *oldest = NULL;
    struct timespec oldest_time = {0};
    *count = 0;
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL)
        return NULL;
    struct dirent *entry;
    while ((entry = readdir(open_folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = bson_strdup_printf("%s/%s", folder, entry->d_name);
        struct stat about;
        bool older = false;
        if (lstat(path, &about) == 0) {
            (*count)++;
            older = oldest == NULL || about.st_mtim.tv_sec < oldest_time.tv_sec ||
                    (about.st_mtim.tv_sec == oldest_time.tv_sec &&
                     about.st_mtim.tv_nsec < oldest_time.tv_nsec);
        }
        if (older) {
            bson_free(oldest);
            oldest = path;
            oldest_time = about.st_mtim;
        } else {
            bson_free(path);
        }
    }
    closedir(open_folder);
    return oldest;
}

static void drop_old(const char *logs)
{
    unsigned count;
    for (;;) {
        char *oldest = oldest_of(logs, &count);
        bool removed = count > KEPT_STARTS && sp_files_remove(oldest, NULL);
        bson_free(oldest);
        if (!removed)
            return;
    }
}

void sp_cluster_save_failure(const sp_cluster_t *cluster, sp_error_t *error)
{
    char *logs = sp_paths_cache_folder("logs", NULL);
    if (logs == NULL)
        return;
    char *folder = bson_strdup_printf("%s/%s", logs, cluster->record.id);
    if (sp_cluster_save_logs(cluster, folder, NULL) && error != NULL) {
        sp_error_t before = *error;
        sp_error_set(error, before.domain, before.code, "%s (logs: %s)", before.message, folder);
    }
    drop_old(logs);
    bson_free(folder);
    bson_free(logs);
}
