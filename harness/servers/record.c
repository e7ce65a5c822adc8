#include "record.h"

#include <bson/bson.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define PID_MAX_LIMIT 4194304.0
#define EXACT_MAX     9007199254740992.0
#define FOLDER_PREFIX "shardproof-"

/* Where pids mean something: host, boot and pid namespace. */
typedef struct {
    char host[256];
    char boot[64];
    char pids[64];
} place_t;

static place_t here(void)
{
    place_t place = {0};
    if (gethostname(place.host, sizeof place.host - 1) != 0)
        place.host[0] = '\0';
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file != NULL) {
        if (fgets(place.boot, sizeof place.boot, file) != NULL)
            place.boot[strcspn(place.boot, "\n")] = '\0';
        fclose(file);
    }
    if (readlink("/proc/self/ns/pid", place.pids, sizeof place.pids - 1) < 0)
        place.pids[0] = '\0';
    return place;
}

bool sp_record_init(sp_record_t *record, const char *tmp, bool detached, unsigned servers,
                    sp_error_t *error)
{
    uint64_t random;
    memset(record, 0, sizeof *record);
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return sp_error_set(error, SP_ERROR_SYSTEM, errno, "no random number: %s", strerror(errno));
    /* No ".." and no link may be left in what will be removed one day. */
    char *real = realpath(tmp, NULL);
    if (real == NULL)
        return sp_error_set(error, SP_ERROR_SYSTEM, errno, "the folder %s cannot be used: %s", tmp,
                            strerror(errno));
    snprintf(record->id, sizeof record->id, "%016llx", (unsigned long long)random);
    record->folder = bson_strdup_printf("%s/" FOLDER_PREFIX "%s",
                                        strcmp(real, "/") == 0 ? "" : real, record->id);
    free(real);
    record->owner = sp_process_of(getpid());
    record->detached = detached;
    record->since = (int64_t)time(NULL);
    record->count = servers;
    for (unsigned i = 0; i < servers; i++)
        snprintf(record->servers[i].name, sizeof record->servers[i].name,
                 i == 0 ? "config" : "s%hhu", (unsigned char)i);
    return true;
}

void sp_record_clear(sp_record_t *record)
{
    bson_free(record->folder);
    record->folder = NULL;
}

static void add_process(cJSON *object, const sp_process_t *process)
{
    char start[24];
    /* As text: a double would not hold all of 64 bits. */
    snprintf(start, sizeof start, "%llu", (unsigned long long)process->start);
    cJSON_AddNumberToObject(object, "pid", (double)process->pid);
    cJSON_AddStringToObject(object, "start", start);
}

char *sp_record_to_json(const sp_record_t *record)
{
    place_t place = here();
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "id", record->id);
    cJSON_AddStringToObject(json, "folder", record->folder);
    cJSON_AddStringToObject(json, "version", record->version);
    cJSON_AddBoolToObject(json, "detached", record->detached);
    cJSON_AddBoolToObject(json, "ready", record->ready);
    cJSON_AddNumberToObject(json, "since", (double)record->since);
    cJSON_AddStringToObject(json, "host", place.host);
    cJSON_AddStringToObject(json, "boot", place.boot);
    cJSON_AddStringToObject(json, "pids", place.pids);
    add_process(cJSON_AddObjectToObject(json, "owner"), &record->owner);
    cJSON *servers = cJSON_AddArrayToObject(json, "servers");
    for (unsigned i = 0; i < record->count; i++) {
        cJSON *server = cJSON_CreateObject();
        cJSON_AddStringToObject(server, "name", record->servers[i].name);
        cJSON_AddNumberToObject(server, "port", record->servers[i].port);
        add_process(server, &record->servers[i].process);
        cJSON_AddItemToArray(servers, server);
    }
    char *printed = cJSON_Print(json);
    char *text = bson_strdup_printf("%s\n", printed);
    cJSON_free(printed);
    cJSON_Delete(json);
    return text;
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static bool read_whole(const cJSON *object, const char *name, double max, double *value)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item))
        return false;
    *value = item->valuedouble;
    return *value >= 0 && *value <= max && *value == floor(*value);
}

static bool read_text(const cJSON *object, const char *name, char *text, size_t size)
{
    const char *found = text_of(object, name);
    if (found == NULL || strlen(found) >= size)
        return false;
    memcpy(text, found, strlen(found) + 1);
    return true;
}

static bool read_process(const cJSON *object, sp_process_t *process)
{
    double pid;
    const char *start = text_of(object, "start");
    if (start == NULL || *start == '\0' || strspn(start, "0123456789") != strlen(start) ||
        !read_whole(object, "pid", PID_MAX_LIMIT, &pid))
        return false;
    process->pid = (pid_t)pid;
    errno = 0;
    process->start = strtoull(start, NULL, 10);
    return errno == 0;
}

static bool read_servers(const cJSON *json, sp_record_t *record)
{
    const cJSON *servers = cJSON_GetObjectItemCaseSensitive(json, "servers");
    int count = cJSON_GetArraySize(servers);
    if (!cJSON_IsArray(servers) || count < 1 || count > SP_SERVERS_MAX)
        return false;
    const cJSON *server;
    cJSON_ArrayForEach(server, servers)
    {
        sp_record_server_t *to = &record->servers[record->count++];
        double port;
        if (!read_text(server, "name", to->name, sizeof to->name) ||
            !read_whole(server, "port", UINT16_MAX, &port) || !read_process(server, &to->process))
            return false;
        to->port = (int)port;
    }
    return true;
}

/* The folder is going to be removed with all that is in it, so nothing but one of ours may pass. */
static bool is_cluster_folder(const char *folder, const char *id)
{
    if (folder == NULL || folder[0] != '/' || strstr(folder, "/../") != NULL)
        return false;
    const char *name = strrchr(folder, '/') + 1;
    return strncmp(name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) == 0 &&
           strcmp(name + strlen(FOLDER_PREFIX), id) == 0;
}

/* Judges what the pids of the record mean here. */
static void place_record(sp_record_t *record, const char *host, const char *boot, const char *pids)
{
    place_t place = here();
    if (strcmp(host, place.host) != 0) {
        record->elsewhere = true;
    } else if (strcmp(boot, place.boot) != 0) {
        /* The machine was started again since: whoever has these pids now is someone else. */
        record->owner.pid = 0;
        for (unsigned i = 0; i < record->count; i++)
            record->servers[i].process.pid = 0;
    } else {
        record->elsewhere = strcmp(pids, place.pids) != 0;
    }
}

static bool fill(const cJSON *json, const char *file, sp_record_t *record)
{
    double since;
    char name[SP_CLUSTER_ID_SIZE + 8];
    const char *host = text_of(json, "host");
    const char *boot = text_of(json, "boot");
    const char *pids = text_of(json, "pids");
    const char *folder = text_of(json, "folder");
    if (!read_text(json, "id", record->id, sizeof record->id) ||
        strspn(record->id, "0123456789abcdef") != SP_CLUSTER_ID_SIZE - 1)
        return false;
    snprintf(name, sizeof name, "%s.json", record->id);
    if (strcmp(name, file) != 0 || !is_cluster_folder(folder, record->id) || host == NULL ||
        boot == NULL || pids == NULL ||
        !read_text(json, "version", record->version, sizeof record->version) ||
        !read_whole(json, "since", EXACT_MAX, &since) ||
        !read_process(cJSON_GetObjectItemCaseSensitive(json, "owner"), &record->owner) ||
        !read_servers(json, record))
        return false;
    record->since = (int64_t)since;
    record->detached = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "detached"));
    record->ready = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "ready"));
    place_record(record, host, boot, pids);
    record->folder = bson_strdup(folder);
    return true;
}

bool sp_record_from_json(const char *text, const char *file, sp_record_t *record, sp_error_t *error)
{
    memset(record, 0, sizeof *record);
    cJSON *json = cJSON_Parse(text);
    if (json == NULL)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it is no JSON");
    bool ok = cJSON_IsObject(json) && fill(json, file, record);
    cJSON_Delete(json);
    if (!ok)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "it lacks a field, or one has a value it cannot have");
    return true;
}
