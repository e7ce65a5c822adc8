#include "log.h"

#include "files.h"

#include <bson/bson.h>
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TAIL_SIZE  65536
#define LINES_MAX  512
#define RANK_OTHER 1
#define RANK_ERROR 2
#define RANK_FATAL 3

/* Copies text into one printable line. */
static void put_line(char *text, size_t size, const char *from)
{
    size_t used = 0;
    for (; *from != '\0' && used + 1 < size; from++) {
        unsigned char c = (unsigned char)*from;
        bool space = isspace(c) || iscntrl(c);
        if (space && (used == 0 || text[used - 1] == ' '))
            continue;
        if (space)
            text[used++] = ' ';
        else
            text[used++] = *from;
    }
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}

static const char *string_of(const cJSON *object, const char *name)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return value == NULL ? "" : value;
}

/* Lines that say that a server is ending, not why. */
static bool is_follow_up(const char *message)
{
    static const char *const follow_ups[] = {"\n\n***aborting after",
                                             "***aborting after",
                                             "BACKTRACE",
                                             "Frame:",
                                             "Writing fatal message",
                                             "  Frame"};
    for (size_t i = 0; i < sizeof follow_ups / sizeof *follow_ups; i++)
        if (strncmp(message, follow_ups[i], strlen(follow_ups[i])) == 0)
            return true;
    return strstr(message, "***aborting after") != NULL;
}

/* How much a line tells, and its words. */
static int read_json_line(const char *line, char *text, size_t size)
{
    cJSON *json = cJSON_Parse(line);
    if (json == NULL)
        return 0;
    const char *severity = string_of(json, "s");
    const char *message = string_of(json, "msg");
    int rank = *severity == 'F' ? RANK_FATAL : (*severity == 'E' ? RANK_ERROR : RANK_OTHER);
    if (is_follow_up(message))
        rank = 0;
    cJSON *attributes = cJSON_GetObjectItemCaseSensitive(json, "attr");
    char *details = attributes == NULL ? NULL : cJSON_PrintUnformatted(attributes);
    char *whole = bson_strdup_printf("%s%s%s", message, details == NULL ? "" : " ",
                                     details == NULL ? "" : details);
    put_line(text, size, whole);
    bson_free(whole);
    cJSON_free(details);
    cJSON_Delete(json);
    return rank;
}

/* "2026-11-30T16:00:00.000+0000 E  STORAGE  [initandlisten] words" */
static int read_text_line(const char *line, char *text, size_t size)
{
    const char *severity = strchr(line, ' ');
    const char *words = strchr(line, ']');
    put_line(text, size, words == NULL ? line : words + 1);
    if (severity == NULL || words == NULL || !isdigit((unsigned char)line[0]))
        return RANK_OTHER;
    if (is_follow_up(text))
        return 0;
    return severity[1] == 'F' ? RANK_FATAL : (severity[1] == 'E' ? RANK_ERROR : RANK_OTHER);
}

void sp_log_reason(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    char *tail = sp_files_tail(path, TAIL_SIZE);
    if (tail == NULL)
        return;
    int best = 0;
    char *candidate = bson_malloc(size);
    char *rest = NULL;
    for (char *line = strtok_r(tail, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        int rank = *line == '{' ? read_json_line(line, candidate, size)
                                : read_text_line(line, candidate, size);
        if (rank >= best && rank > 0 && candidate[0] != '\0') {
            best = rank;
            memcpy(text, candidate, size);
        }
    }
    bson_free(candidate);
    bson_free(tail);
}

void sp_log_end(const char *path, char *text, size_t size)
{
    char *tail = sp_files_tail(path, size);
    put_line(text, size, tail == NULL ? "" : tail);
    bson_free(tail);
}

bool sp_log_port_taken(const char *path)
{
    char *tail = sp_files_tail(path, TAIL_SIZE);
    bool taken = tail != NULL && strstr(tail, "Address already in use") != NULL;
    bson_free(tail);
    return taken;
}
