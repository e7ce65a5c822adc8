#include "regex_prefix.h"

#include <ctype.h>
#include <string.h>

/* Whether a | stands in the pattern without a single backslash before it. Two that stand for one
 * leave it what it is, but three do too: a server looks no further back. */
static bool has_alternatives(const char *pattern)
{
    for (const char *bar = strchr(pattern, '|'); bar != NULL; bar = strchr(bar + 1, '|')) {
        bool escaped = bar != pattern && bar[-1] == '\\';
        if (!escaped || (bar - pattern > 1 && bar[-2] == '\\'))
            return true;
    }
    return false;
}

/* Steps behind ^ or \A; NULL where the pattern is not anchored so that its options leave it so. */
static const char *skip_anchor(const sp_regex_t *regex, bool *extended)
{
    const char *pattern = regex->pattern;
    bool at_subject_start = strncmp(pattern, "\\A", 2) == 0;
    *extended = false;
    if (!at_subject_start && pattern[0] != '^')
        return NULL;
    for (const char *option = regex->options; *option != '\0'; option++) {
        if (*option == 'x')
            *extended = true;
        else if (*option != 's' && !(*option == 'm' && at_subject_start))
            return NULL;
    }
    return pattern + (at_subject_start ? 2 : 1);
}

/* Copies what stands between \Q and \E; returns where it ends. */
static const char *copy_quoted(const char *from, char *prefix, size_t *size)
{
    while (*from != '\0') {
        if (strncmp(from, "\\E", 2) == 0)
            return from + 2;
        prefix[(*size)++] = *from++;
    }
    return from;
}

const char *sp_regex_prefix(sp_arena_t *arena, const sp_regex_t *regex)
{
    bool extended;
    const char *at = skip_anchor(regex, &extended);
    if (at == NULL || has_alternatives(at))
        return "";
    char *prefix = sp_arena_take(arena, strlen(at) + 1);
    size_t size = 0;
    while (*at != '\0') {
        char c = *at++;
        if (c == '\\') {
            c = *at;
            if (c == 'Q') {
                at = copy_quoted(at + 1, prefix, &size);
                continue;
            }
            /* A digit other than 0 counts as plain. */
            if (c == '\0' || isalpha((unsigned char)c) || c == '0')
                break;
            prefix[size++] = c;
            at++;
        } else if (strchr("^$.[()+{", c) != NULL || (extended && c == '#')) {
            break;
        } else if (c == '*' || c == '?') {
            if (size > 0)
                size--;
            break;
        } else if (!(extended && isspace((unsigned char)c))) {
            prefix[size++] = c;
        }
    }
    prefix[size] = '\0';
    return prefix;
}
