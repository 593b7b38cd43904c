#include "reporters/filter_file.h"

#include "reporters/filter_functions.h"
#include "reporters/message.h"
#include "reporters/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a pattern is matched with. */
struct filter_subject {
    const char *linkage, *file, *module;
    char *demangled, *plain; /* plain: demangled without parameters */
};

static bool glob_matches(const char *pattern, const char *text)
{
    return text && fnmatch(pattern, text, 0) == 0;
}

static bool path_matches(const char *pattern, const char *path)
{
    return path && (glob_matches(pattern, path) || glob_matches(pattern, text_basename(path)));
}

static bool pattern_matches(const char *pattern, const struct filter_subject *subject)
{
    if (!strncmp(pattern, "file:", 5))
        return path_matches(pattern + 5, subject->file);
    if (!strncmp(pattern, "module:", 7))
        return path_matches(pattern + 7, subject->module);
    return glob_matches(pattern, subject->linkage) || glob_matches(pattern, subject->demangled) ||
           glob_matches(pattern, subject->plain);
}

static bool any_matches(const struct option_list *patterns, const struct filter_subject *subject)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (pattern_matches(patterns->texts[i], subject))
            return true;
    return false;
}

static bool is_kept(const struct filter_function *function, const char *module, const struct option_list *only,
                    const struct option_list *skip)
{
    struct filter_subject subject = {.linkage = function->name, .file = function->file, .module = module};
    if (!strncmp(function->name, "_Z", 2)) {
        subject.demangled = cplus_demangle(function->name, DMGL_PARAMS | DMGL_ANSI);
        subject.plain = cplus_demangle(function->name, DMGL_ANSI);
    }
    bool kept = !any_matches(skip, &subject) && (!only->count || any_matches(only, &subject));
    free(subject.demangled);
    free(subject.plain);
    return kept;
}

struct filter_write {
    FILE *out;
    const struct option_list *only, *skip;
    bool want_files, no_memory;
    size_t functions, all;
};

/* One section of the file. */
static void write_module(struct filter_write *write, const char *shown, const struct filter_functions *functions,
                         const bool *kept)
{
    fprintf(write->out, "module %s\n", shown);
    for (size_t i = 0; i < functions->count; i++)
        fprintf(write->out, "%s 0x%" PRIx64 "\n", kept[i] ? "keep" : "drop", functions->list[i].address);
}

/* The module under the name that the loader gives it, and under its real one when that differs. */
static void add_module(struct filter_write *write, const char *path)
{
    struct filter_functions functions;
    if (strchr(path, '\n') || !filter_is_instrumented(path))
        return;
    if (!filter_functions_read(&functions, path, write->want_files))
        write->no_memory = true;
    bool *kept = calloc(functions.count + 1, sizeof *kept);
    char *real = realpath(path, NULL);
    if (kept && real && functions.count) {
        for (size_t i = 0; i < functions.count; i++) {
            kept[i] = is_kept(&functions.list[i], path, write->only, write->skip);
            write->functions += kept[i];
        }
        write->all += functions.count;
        write_module(write, real, &functions, kept);
        if (strcmp(real, path) != 0 && *path == '/')
            write_module(write, path, &functions, kept);
    } else
        write->no_memory |= !kept || !real;
    free(kept);
    free(real);
    filter_functions_free(&functions);
}

/* Libraries of a program, as the dynamic loader lists them without running it. */
static void add_libraries(struct filter_write *write, const char *program)
{
    int ends[2];
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = {(char *)program, NULL};
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        unsetenv("LD_PRELOAD");
        execv(program, arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    char *line = NULL;
    size_t size = 0;
    while (child > 0 && list && getline(&line, &size, list) > 0) {
        char *path = strchr(line, '/'), *end = path ? strstr(path, " (0x") : NULL;
        if (end) {
            *end = 0;
            add_module(write, path);
        }
    }
    free(line);
    if (list)
        fclose(list);
    else
        close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void add_program(struct filter_write *write, const char *path)
{
    add_module(write, path);
    if (access(path, X_OK) == 0 && filter_has_glibc_loader(path))
        add_libraries(write, path);
}

static bool wants_files(const struct option_list *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!strncmp(patterns->texts[i], "file:", 5))
            return true;
    return false;
}

bool filter_file_write(const char *directory, const char *program, char *const *argv, const struct option_list *only,
                       const struct option_list *skip, size_t *functions, size_t *all)
{
    char *path = NULL;
    struct filter_write write = {.only = only, .skip = skip, .want_files = wants_files(only) || wants_files(skip)};
    if (asprintf(&path, "%s/filter", directory) < 0 || !(write.out = fopen(path, "wxe"))) {
        message_failure("%s/filter: cannot be written: %s", directory, strerror(errno));
        free(path);
        return false;
    }
    add_program(&write, program);
    for (argv++; *argv; argv++) /* programs that the program starts: mpirun, env, time */
        if (strchr(*argv, '/') && access(*argv, X_OK) == 0)
            add_program(&write, *argv);
    bool good = !ferror(write.out);
    good = fclose(write.out) == 0 && good && !write.no_memory;
    if (!good)
        message_failure("%s: cannot be written: %s", path, write.no_memory ? "out of memory" : strerror(errno));
    free(path);
    *functions = write.functions;
    *all = write.all;
    return good;
}
