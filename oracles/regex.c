#include "regex.h"

#include <bson/bson.h>
#include <pcre.h>
#include <string.h>

/* Letters, digits and what means nothing or one thing wherever it stands: most patterns have
 * nothing else, and compiling is many times as slow as looking. */
static bool is_plain(const char *pattern)
{
    const size_t longest = 1000;
    size_t size = strspn(pattern, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "^$. _-/,:;@=!%&<>~\"'");
    return pattern[size] == '\0' && size <= longest;
}

static int flags_of(const char *options)
{
    int flags = PCRE_UTF8;
    for (; *options != '\0'; options++) {
        switch (*options) {
        case 'i':
            flags |= PCRE_CASELESS;
            break;
        case 'm':
            flags |= PCRE_MULTILINE;
            break;
        case 's':
            flags |= PCRE_DOTALL;
            break;
        case 'x':
            flags |= PCRE_EXTENDED;
            break;
        default:
            break;
        }
    }
    return flags;
}

static bool compiles(const char *pattern, int flags, const char **flaw)
{
    int offset;
    pcre *compiled = pcre_compile(pattern, flags, flaw, &offset, NULL);
    if (compiled == NULL)
        return false;
    pcre_free(compiled);
    return true;
}

/* Settings like (*UCP), which may only stand at the very beginning. */
static size_t settings_size(const char *pattern)
{
    const char *at = pattern;
    while (at[0] == '(' && at[1] == '*') {
        const char *end = strchr(at, ')');
        if (end == NULL)
            break;
        at = end + 1;
    }
    return (size_t)(at - pattern);
}

bool sp_regex_compiles(const char *pattern, const char *options, const char **flaw)
{
    if (is_plain(pattern))
        return true;
    int flags = flags_of(options);
    if (!compiles(pattern, flags, flaw))
        return false;
    /* A server prepares for whole matches too, in which what follows the pattern must not be
     * swallowed by an open \Q or, under x, a comment. */
    size_t settings = settings_size(pattern);
    char *whole = bson_strdup_printf("%.*s(?:%s)\\z", (int)settings, pattern, pattern + settings);
    bool ok = compiles(whole, flags, flaw);
    bson_free(whole);
    return ok;
}

bool sp_regex_matches(const char *pattern, const char *options, const char *text, uint32_t size,
                      bool *known)
{
    const unsigned long steps_max = 10000000, depth_max = 10000;
    const char *flaw;
    int offset;
    *known = false;
    if (size > INT32_MAX)
        return false;
    pcre *compiled = pcre_compile(pattern, flags_of(options), &flaw, &offset, NULL);
    if (compiled == NULL)
        return false;
    pcre_extra limits = {
        .flags = PCRE_EXTRA_MATCH_LIMIT | PCRE_EXTRA_MATCH_LIMIT_RECURSION,
        .match_limit = steps_max,
        .match_limit_recursion = depth_max,
    };
    int found = pcre_exec(compiled, &limits, text, (int)size, 0, 0, NULL, 0);
    pcre_free(compiled);
    *known = found != PCRE_ERROR_MATCHLIMIT && found != PCRE_ERROR_RECURSIONLIMIT;
    return found >= 0;
}
