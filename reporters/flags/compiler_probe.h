/* A compiler, asked what it is and tried with options on a one-line file. Its name tells nothing: `cc` may be any.
 *
 * It runs in the working directory, where relative paths among its arguments lead; what it writes goes to a scratch
 * directory. Starts processes; not thread-safe. */
#ifndef PCOMP_COMPILER_PROBE_H
#define PCOMP_COMPILER_PROBE_H

#include "reporters/filter/module_sites.h"

#include <stdbool.h>
#include <stddef.h>

struct compiler {
    const char *text; /* as the user gave it: the command and its arguments */
    char *scratch;    /* directory of what it writes */
    char *probe;      /* in it, a file of one line: a function, and main */
    char **words;     /* the same, split as the shell does, the command by its path; NULL ends them */
    size_t word_count;
    bool clang, gnu; /* gnu: defines __GNUC__ and is not clang */
    unsigned major;  /* gnu: of the version of gcc that it claims to be */
    bool cplusplus;  /* compiles a file NAME.c as C++, and links the C++ library */
    bool x86_64;     /* makes 64-bit code for x86-64 */
};

/* False after a message: there is no such command, or it cannot compile. compiler_close in both cases. */
bool compiler_open(struct compiler *compiler, const char *text);
void compiler_close(struct compiler *compiler);

/* What one run of the compiler wrote; to be freed with compiler_answer_free. */
struct compiler_answer {
    bool good; /* exit status 0 */
    char *out, *err;
};

/* Runs the compiler with the NULL-terminated arguments behind its own words. */
void compiler_ask(const struct compiler *compiler, const char *const *arguments, struct compiler_answer *answer);
void compiler_answer_free(struct compiler_answer *answer);

#define COMPILER_WHY 512 /* bytes of a reason */

/* Compiles the probe with the NULL-terminated options, and tells what sites the object has. False: `why` (COMPILER_WHY
 * bytes) is the compiler's first complaint. */
bool compiler_try(const struct compiler *compiler, const char *const *options, struct module_sites *sites, char *why);

#endif
