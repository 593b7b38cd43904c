#include "reporters/flags/link_options.h"

#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/filter/filter_functions.h"
#include "reporters/filter/loaded_libraries.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nothing in a program with sleds refers to the library, and with -flto its hook calls appear too late: the linker must
 * not drop it. */
#define LIBRARY_OPTIONS "-Wl,--push-state,--no-as-needed", "-lpcomp", "-Wl,--pop-state"

static bool same_file(const char *path, const char *library)
{
    char real[PATH_MAX];
    return realpath(path, real) && !strcmp(real, library);
}

/* Links the probe, with -L or without, and lists the files that the linker opens. */
static bool link_probe(const struct compiler *compiler, const char *program, const char *search,
                       struct compiler_answer *answer)
{
    const char *const arguments[] = {"-w", compiler->probe, "-Wl,--trace", LIBRARY_OPTIONS,
                                     "-o", program,         search,        NULL};
    compiler_ask(compiler, arguments, answer);
    return answer->good;
}

static bool is_traced(char *trace, const char *library)
{
    for (char *line = strtok(trace, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "libpcomp") && same_file(line, library))
            return true;
    return false;
}

struct wanted_library {
    const char *path;
    bool found;
};

static void note_library(void *context, const char *path)
{
    struct wanted_library *wanted = context;
    wanted->found = wanted->found || same_file(path, wanted->path);
}

/* Whether the loader finds the library for the linked probe. LD_LIBRARY_PATH will not be there in every shell. */
static bool loader_finds(const char *program, const char *library)
{
    struct wanted_library wanted = {library, false};
    const char *value = getenv("LD_LIBRARY_PATH");
    char *saved = value ? strdup(value) : NULL;
    unsetenv("LD_LIBRARY_PATH");
    loaded_libraries_each(program, note_library, &wanted);
    if (saved)
        setenv("LD_LIBRARY_PATH", saved, 1);
    free(saved);
    return wanted.found;
}

/* Where the probe cannot be linked (a compiler without a C library), -L and rpath do no harm. */
static bool find_defaults(struct link_options *link, const struct compiler *compiler)
{
    struct compiler_answer answer;
    char *search = NULL, *program = NULL;
    if (asprintf(&search, "-L%s", link->directory) < 0 || asprintf(&program, "%s/probe", compiler->scratch) < 0)
        return false;
    link->searched = link_probe(compiler, program, NULL, &answer) && answer.out && is_traced(answer.out, link->library);
    bool linked = link->searched;
    compiler_answer_free(&answer);
    if (!linked) {
        linked = link_probe(compiler, program, search, &answer);
        compiler_answer_free(&answer);
    }
    link->is_static = linked && !filter_has_glibc_loader(program);
    link->loaded = link->is_static || (linked && loader_finds(program, link->library));
    free(search);
    free(program);
    return true;
}

bool link_options_find(struct link_options *link, const struct compiler *compiler, const struct site_options *sites)
{
    struct module_sites library;
    *link = (struct link_options){.library = library_path_find()};
    if (!link->library || !module_sites_read(&library, link->library)) {
        message_failure("libpcomp.so: not found beside this pcomp (is it installed?)");
        return false;
    }
    if (library.machine != sites->machine || library.elf_class != sites->elf_class) {
        message_failure("%s: makes programs for another machine than %s (link them with a libpcomp for that machine)",
                        compiler->text, link->library);
        return false;
    }
    link->directory = strdup(link->library);
    if (!link->directory) {
        message_no_memory("flags");
        return false;
    }
    *strrchr(link->directory, '/') = 0;
    return find_defaults(link, compiler) || message_no_memory("flags") < 0;
}

void link_options_print(const struct link_options *link, const struct site_options *sites)
{
    static const char *const library[] = {LIBRARY_OPTIONS};
    const char *before = "";
    if (sites->form == SITES_GCC_SLEDS) { /* with -flto the code is generated at the link */
        printf("%s", sites->texts[0]);
        before = " ";
    }
    if (link->is_static) {
        printf("%s-Wl,-u,%s", before, sites->form == SITES_HOOKS ? "__cyg_profile_func_enter" : "pcomp_sleds_anchor");
        before = " ";
    }
    if (!link->searched) {
        printf("%s-L%s", before, link->directory);
        before = " ";
    }
    for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
        printf("%s%s", before, library[i]);
        before = " ";
    }
    if (!link->loaded)
        printf(" -Wl,-rpath,%s", link->directory);
}

void link_options_free(struct link_options *link)
{
    free(link->library);
    free(link->directory);
    *link = (struct link_options){0};
}
