#include "stale_cases.h"

#include "report_model.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An older report that is larger than any we write is not ours. */
#define OLD_REPORT_MAX ((off_t)1 << 30)

struct sp_stale_cases {
    char *folder;
    cJSON *old; /* or NULL */
};

static cJSON *read_json(const char *path)
{
    FILE *in = fopen(path, "rbe");
    if (in == NULL)
        return NULL;
    cJSON *json = NULL;
    struct stat info;
    if (fstat(fileno(in), &info) == 0 && S_ISREG(info.st_mode) && info.st_size < OLD_REPORT_MAX) {
        char *text = bson_malloc((size_t)info.st_size + 1);
        size_t size = fread(text, 1, (size_t)info.st_size, in);
        json = cJSON_ParseWithLength(text, size);
        bson_free(text);
    }
    fclose(in);
    return json;
}

sp_stale_cases_t *sp_stale_cases_new(const char *folder)
{
    sp_stale_cases_t *stale = bson_malloc0(sizeof *stale);
    stale->folder = bson_strdup(folder);
    char *path = bson_strdup_printf("%s/report.json", folder);
    stale->old = read_json(path);
    bson_free(path);
    return stale;
}

void sp_stale_cases_free(sp_stale_cases_t *stale)
{
    cJSON_Delete(stale->old);
    bson_free(stale->folder);
    bson_free(stale);
}

/* Takes "-NUMBER" off the end of `text`. */
static bool take_number(char *text, uint64_t *number)
{
    char *dash = strrchr(text, '-');
    if (dash == NULL || dash[1] == '\0' || dash[1 + strspn(dash + 1, "0123456789")] != '\0')
        return false;
    *number = strtoull(dash + 1, NULL, 10);
    *dash = '\0';
    return true;
}

/* Splits "cases/AREA-SCENE-CHECK.json", in place, and refuses anything else. */
static char *parse_case_file(char *file, uint64_t *scene, uint64_t *check)
{
    static const char head[] = "cases/", tail[] = ".json";
    size_t length = strlen(file);
    if (length < sizeof head + sizeof tail || strncmp(file, head, sizeof head - 1) != 0 ||
        strcmp(file + length - (sizeof tail - 1), tail) != 0)
        return NULL;
    file[length - (sizeof tail - 1)] = '\0';
    char *area = file + sizeof head - 1;
    bool parsed = take_number(area, check) && take_number(area, scene);
    return parsed && *area != '\0' && strpbrk(area, "/.") == NULL ? area : NULL;
}

static void remove_stale(const char *folder, const char *file, const sp_report_t *report)
{
    char *parsed = bson_strdup(file);
    uint64_t scene, check;
    const char *area = parse_case_file(parsed, &scene, &check);
    if (area != NULL && !sp_report_keeps(report, area, scene, (uint32_t)check)) {
        char *path = bson_strdup_printf("%s/%s", folder, file);
        unlink(path);
        bson_free(path);
    }
    bson_free(parsed);
}

void sp_stale_cases_remove(const sp_stale_cases_t *stale, const sp_report_t *report)
{
    static const struct {
        const char *list, *file;
    } lists[] = {{"findings", "case_file"}, {"infrastructure", "case_file"}, {"groups", "example"}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const cJSON *finding;
        cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(stale->old, lists[i].list))
        {
            const char *file =
                cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(finding, lists[i].file));
            if (file != NULL)
                remove_stale(stale->folder, file, report);
        }
    }
}
