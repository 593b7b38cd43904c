#include "reporters/filter/filter_file.h"

#include "reporters/base/message.h"
#include "reporters/filter/filter_functions.h"
#include "reporters/filter/filter_match.h"
#include "reporters/filter/loaded_libraries.h"
#include "reporters/filter/module_sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (strchr(path, '\n') || !module_sites_any(path))
        return;
    if (!filter_functions_read(&functions, path, write->want_files))
        write->no_memory = true;
    bool *kept = calloc(functions.count + 1, sizeof *kept);
    char *real = realpath(path, NULL);
    if (kept && real && functions.count) {
        for (size_t i = 0; i < functions.count; i++) {
            kept[i] = filter_keeps(&functions.list[i], path, write->only, write->skip);
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

static void add_library(void *write, const char *path)
{
    add_module(write, path);
}

static void add_program(struct filter_write *write, const char *path)
{
    add_module(write, path);
    if (access(path, X_OK) == 0)
        loaded_libraries_each(path, add_library, write);
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
