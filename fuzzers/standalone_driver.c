/*
 * Runs a fuzz target over files without a fuzzing engine:
 *
 *     TARGET [-timeout=SECONDS] PATH…
 *
 * Each path is a file, or a folder whose files are run in the order of their names, deeper folders
 * too. Each file gets a process of its own, so that one that crashes, trips a sanitizer or runs too
 * long (10 seconds by default) is named and the others run all the same. Exit status: 0 all passed,
 * 1 some did not, 2 there was nothing to run or a path could not be read.
 */
#include "fuzz_check.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PASSED = 0,
    FAILED = 1,
    USAGE = 2,
    DEPTH_MAX = 16,
    TIMEOUT_DEFAULT = 10,
    TIMEOUT_MAX = 86400
};

/* What libFuzzer takes at most when asked to; a larger file is no fuzz input. */
#define INPUT_MAX (64u << 20)

typedef struct tally {
    unsigned timeout; /* seconds */
    unsigned ran, failed;
    bool unreadable;
} tally_t;

static void complain_of(tally_t *tally, const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    tally->unreadable = true;
}

/* The file's bytes in a block of exactly their size, so that a sanitizer sees a read behind it.
 * NULL where the file cannot be read. */
static uint8_t *read_file(tally_t *tally, const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        complain_of(tally, path, strerror(errno));
        return NULL;
    }
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (data == NULL || fread(data, 1, size, file) != size) {
        complain_of(tally, path, data == NULL ? "out of memory" : "cannot be read to its end");
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

/* Says what became of the process that ran `path`; returns whether it passed. */
static bool report(const tally_t *tally, const char *path, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "%s: still running after %u s\n", path, tally->timeout);
    else if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d (%s)\n", path, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "%s: ended with exit status %d\n", path, WEXITSTATUS(status));
    return false;
}

static void run_file(tally_t *tally, const char *path, off_t size)
{
    if (size > (off_t)INPUT_MAX) {
        complain_of(tally, path, "larger than 64 MiB: this is no fuzz input");
        return;
    }
    uint8_t *data = read_file(tally, path, (size_t)size);
    if (data == NULL)
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(tally->timeout);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
        exit(PASSED);
    }
    free(data);
    int status;
    pid_t ended = -1;
    while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (ended < 0) {
        complain_of(tally, path, strerror(errno));
        return;
    }
    tally->ran++;
    if (!report(tally, path, status))
        tally->failed++;
}

static void run_path(tally_t *tally, const char *path, unsigned depth);

static int is_no_dot_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_folder(tally_t *tally, const char *path, unsigned depth)
{
    struct dirent **entries;
    if (depth > DEPTH_MAX) {
        complain_of(tally, path, "folders are nested too deep");
        return;
    }
    int count = scandir(path, &entries, is_no_dot_name, compare_names);
    if (count < 0) {
        complain_of(tally, path, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        char inner[PATH_MAX];
        int size = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (size < 0 || (size_t)size >= sizeof inner)
            complain_of(tally, path, "a path in this folder is too long");
        else
            run_path(tally, inner, depth + 1);
        free(entries[i]);
    }
    free(entries);
}

static void run_path(tally_t *tally, const char *path, unsigned depth)
{
    struct stat about;
    if (stat(path, &about) != 0)
        complain_of(tally, path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        run_folder(tally, path, depth);
    else if (S_ISREG(about.st_mode))
        run_file(tally, path, about.st_size);
    else
        complain_of(tally, path, "neither a file nor a folder");
}

/* Reads -timeout=SECONDS, as libFuzzer spells it. */
static bool read_option(const char *text, unsigned *timeout)
{
    static const char name[] = "-timeout=";
    if (strncmp(text, name, sizeof name - 1) != 0)
        return false;
    const char *digits = text + sizeof name - 1;
    char *end;
    errno = 0;
    long seconds = strtol(digits, &end, 10);
    if (errno != 0 || end == digits || *end != '\0' || seconds < 1 || seconds > TIMEOUT_MAX)
        return false;
    *timeout = (unsigned)seconds;
    return true;
}

int main(int argc, char **argv)
{
    tally_t tally = {.timeout = TIMEOUT_DEFAULT};
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!read_option(argv[first], &tally.timeout)) {
            fprintf(stderr, "%s: cannot take '%s'; usage: %s [-timeout=SECONDS] PATH…\n", argv[0],
                    argv[first], argv[0]);
            return USAGE;
        }
    }
    for (int i = first; i < argc; i++)
        run_path(&tally, argv[i], 0);
    fprintf(stderr, "%s: ran %u inputs, %u failed\n", argv[0], tally.ran, tally.failed);
    if (tally.failed > 0)
        return FAILED;
    if (tally.ran == 0)
        fprintf(stderr, "%s: no input to run: give files, or folders that hold some\n", argv[0]);
    return tally.unreadable || tally.ran == 0 ? USAGE : PASSED;
}
