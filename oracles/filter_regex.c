#include "filter_parts.h"
#include "regex.h"

#include <string.h>

static bool check(sp_filter_parser_t *parser, const char *path, const sp_regex_t *regex,
                  size_t pattern_size, size_t option_size)
{
    for (size_t i = 0; i < option_size; i++) {
        if (regex->options[i] == '\0' || strchr("imsux", regex->options[i]) == NULL)
            return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_REGEX_OPTION,
                                "the regular expression of '%s' has an option that is none of "
                                "i, m, s, u and x",
                                path);
    }
    if (strlen(regex->pattern) != pattern_size)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "the regular expression of '%s' holds a NUL", path);
    const char *flaw;
    if (!sp_regex_compiles(regex->pattern, regex->options, &flaw))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_REGEX,
                            "the regular expression of '%s' is faulty: %s", path, flaw);
    return true;
}

static sp_regex_t parts(const sp_value_t *value)
{
    const char *pattern = (const char *)value->data;
    return (sp_regex_t){pattern, pattern + strlen(pattern) + 1};
}

bool sp_filter_regex_of(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                        sp_regex_t *regex)
{
    *regex = parts(value);
    return check(parser, path, regex, strlen(regex->pattern), strlen(regex->options));
}

sp_node_t *sp_filter_regex_leaf(sp_filter_parser_t *parser, const char *path,
                                const sp_value_t *value)
{
    sp_regex_t regex;
    if (!sp_filter_regex_of(parser, path, value, &regex))
        return NULL;
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_REGEX, path);
    sp_node_add_regex(parser->arena, node, &regex);
    return node;
}

/* $regex and $options as they are gathered: the last $regex counts, options may be given once, but
 * empty ones are as good as none. */
typedef struct gathered {
    sp_regex_t regex;
    size_t pattern_size, option_size;
} gathered_t;

static bool gather_pattern(sp_filter_parser_t *parser, const sp_value_t *value, gathered_t *g)
{
    if (value->type == BSON_TYPE_UTF8) {
        uint32_t size;
        g->regex.pattern = sp_value_text(value, &size);
        g->pattern_size = size;
        return true;
    }
    if (value->type != BSON_TYPE_REGEX)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$regex needs a string or a regular expression");
    sp_regex_t regex = parts(value);
    g->regex.pattern = regex.pattern;
    g->pattern_size = strlen(regex.pattern);
    if (regex.options[0] == '\0')
        return true;
    if (g->option_size > 0)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_OPTIONS_BEFORE_REGEX,
                            "options stand in both $options and $regex");
    g->regex.options = regex.options;
    g->option_size = strlen(regex.options);
    return true;
}

static bool gather_options(sp_filter_parser_t *parser, const sp_value_t *value, gathered_t *g)
{
    if (value->type != BSON_TYPE_UTF8)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$options needs a string");
    if (g->option_size > 0)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_OPTIONS_AFTER_REGEX,
                            "options stand in both $regex and $options");
    uint32_t size;
    g->regex.options = sp_value_text(value, &size);
    g->option_size = size;
    return true;
}

bool sp_filter_parse_regex(sp_filter_parser_t *parser, const char *path,
                           const sp_value_t *operators, sp_node_t *into)
{
    gathered_t g = {.regex = {"", ""}};
    bson_iter_t iter;
    if (!sp_value_children(operators, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "'%s' holds a broken object", path);
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        if (strcmp(name, "$regex") == 0 && !gather_pattern(parser, &value, &g))
            return false;
        if (strcmp(name, "$options") == 0 && !gather_options(parser, &value, &g))
            return false;
    }
    if (!check(parser, path, &g.regex, g.pattern_size, g.option_size))
        return false;
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_REGEX, path);
    sp_node_add_regex(parser->arena, node, &g.regex);
    sp_node_add_child(parser->arena, into, node);
    return true;
}
