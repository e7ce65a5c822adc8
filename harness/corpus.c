#include "corpus.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

typedef struct walk {
    sp_case_fn on_case;
    sp_broken_fn on_broken;
    void *context;
    bool found; /* a case, or something that was meant to be one */
} walk_t;

static void tell_broken(walk_t *walk, const sp_error_t *error)
{
    walk->found = true;
    walk->on_broken(walk->context, error);
}

static void report_broken(walk_t *walk, const char *path, int number)
{
    sp_error_t error;
    sp_error_set(&error, SP_ERROR_INPUT, number, "%s: it cannot be read: %s", path,
                 strerror(number));
    tell_broken(walk, &error);
}

static bool walk_file(walk_t *walk, const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        report_broken(walk, path, errno);
        return true;
    }
    sp_lines_t lines;
    sp_lines_init(&lines, file, path);
    bool go_on = true, more = true;
    while (go_on && more) {
        bson_t test;
        sp_error_t error;
        sp_line_t what = sp_lines_next(&lines, &test, &error);
        if (what == SP_LINE_READ) {
            walk->found = true;
            go_on = walk->on_case(walk->context, &test, path, lines.number);
        } else if (what == SP_LINE_BROKEN) {
            tell_broken(walk, &error);
        }
        more = what != SP_LINE_END;
        bson_destroy(&test);
    }
    sp_lines_clear(&lines);
    fclose(file);
    return go_on;
}

static bool is_case_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".json") == 0 || strcmp(dot, ".jsonl") == 0);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool sp_corpus_walk(const char *path, sp_case_fn on_case, sp_broken_fn on_broken, void *context)
{
    walk_t walk = {.on_case = on_case, .on_broken = on_broken, .context = context};
    char *root = bson_strdup(path);
    char *roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    bool go_on = true;
    FTSENT *entry;
    if (tree == NULL)
        report_broken(&walk, path, errno);
    while (go_on && tree != NULL && (entry = fts_read(tree)) != NULL) {
        bool named = entry->fts_level == FTS_ROOTLEVEL;
        if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
            report_broken(&walk, entry->fts_path, entry->fts_errno);
        else if (named && entry->fts_info == FTS_SLNONE)
            report_broken(&walk, entry->fts_path, ENOENT);
        /* What was named itself may also be a pipe, such as /dev/stdin. */
        else if ((named && entry->fts_info == FTS_DEFAULT) ||
                 (entry->fts_info == FTS_F && (named || is_case_file(entry->fts_name))))
            go_on = walk_file(&walk, entry->fts_path);
    }
    if (tree != NULL)
        fts_close(tree);
    bson_free(root);
    if (!walk.found) {
        sp_error_t error;
        sp_error_set(
            &error, SP_ERROR_INPUT, 0,
            "%s: there is no case in it; in a folder, cases are in files named *.json or *.jsonl",
            path);
        tell_broken(&walk, &error);
    }
    return go_on;
}
