#include "uri.h"

#include <bson/bson.h>
#include <string.h>
#include <strings.h>

/* Where the part after "scheme://" begins. */
static const char *after_scheme(const char *uri)
{
    const char *mark = strstr(uri, "://");
    return mark == NULL ? uri : mark + 3;
}

static bool name_is(const char *option, size_t length, const char *name)
{
    return length == strlen(name) && strncasecmp(option, name, length) == 0;
}

static bool is_secret(const char *option, size_t length)
{
    static const char *const secrets[] = {"tlsCertificateKeyFilePassword",
                                          "sslClientCertificateKeyPassword", "sslPEMKeyPassword",
                                          "authMechanismProperties", "proxyPassword"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (name_is(option, length, secrets[i]))
            return true;
    return false;
}

/* Appends the options that follow '?', each passed through the two filters. */
static void append_options(bson_string_t *out, const char *options, bool hide_secrets,
                           bool drop_set_name)
{
    while (*options != '\0') {
        size_t length = strcspn(options, "&;");
        const char *equals = memchr(options, '=', length);
        size_t name = equals == NULL ? length : (size_t)(equals - options);
        char *option = bson_strndup(options, length);
        if (hide_secrets && is_secret(options, name)) {
            option[name] = '\0';
            bson_string_append_printf(out, "%s=***", option);
        } else if (!drop_set_name || !name_is(options, name, "replicaSet")) {
            bson_string_append(out, option);
        }
        bson_free(option);
        options += length;
        if (*options != '\0')
            bson_string_append_c(out, *options++);
    }
}

char *sp_uri_redacted(const char *uri)
{
    const char *rest = after_scheme(uri);
    /* The last '@' of all: a password that was not escaped may hold '@', '/' and '?'. */
    const char *at = strrchr(rest, '@');
    bson_string_t *out = bson_string_new(NULL);

    if (at != NULL) {
        size_t user = strcspn(rest, ":@");
        char *head = bson_strndup(uri, (size_t)(rest - uri) + user);
        bson_string_append(out, head);
        bson_free(head);
        if (rest[user] == ':')
            bson_string_append(out, ":***");
        rest = at;
    } else {
        char *scheme = bson_strndup(uri, (size_t)(rest - uri));
        bson_string_append(out, scheme);
        bson_free(scheme);
    }
    const char *question = strchr(rest, '?');
    if (question == NULL) {
        bson_string_append(out, rest);
    } else {
        char *head = bson_strndup(rest, (size_t)(question - rest) + 1);
        bson_string_append(out, head);
        bson_free(head);
        append_options(out, question + 1, true, false);
    }
    return bson_string_free(out, false);
}

char *sp_uri_with_host(const char *uri, const char *host)
{
    const char *rest = after_scheme(uri);
    const char *end = rest + strcspn(rest, "/?");
    const char *hosts = rest;
    for (const char *c = rest; c < end; c++)
        if (*c == '@')
            hosts = c + 1;

    bson_string_t *out = bson_string_new(NULL);
    char *head = bson_strndup(uri, (size_t)(hosts - uri));
    const char *question = strchr(end, '?');
    char *path = question == NULL ? bson_strdup(end) : bson_strndup(end, (size_t)(question - end));
    bson_string_append_printf(out, "%s%s%s", head, host, path);
    bson_free(head);
    bson_free(path);
    if (question != NULL) {
        bson_string_append_c(out, '?');
        append_options(out, question + 1, false, true);
    }
    return bson_string_free(out, false);
}
