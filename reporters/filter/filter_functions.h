/* The functions of an ELF file as patterns see them: linkage names, addresses, and on demand source files. */
#ifndef PCOMP_FILTER_FUNCTIONS_H
#define PCOMP_FILTER_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filter_function {
    uint64_t address; /* ELF address */
    char *name;       /* linkage name, the one that reports show */
    char *file;       /* NULL unknown, or not asked for */
};

struct filter_functions {
    struct filter_function *list; /* by address */
    size_t count;
};

/* True for an ELF file that calls __cyg_profile_func_enter: built with -finstrument-functions. */
bool filter_is_instrumented(const char *path);

/* True for an ELF program that glibc's dynamic loader loads (another would run it where this one lists libraries). */
bool filter_has_glibc_loader(const char *path);

/* Functions of the file at path; none when it has no symbols. False: out of memory. */
bool filter_functions_read(struct filter_functions *functions, const char *path, bool want_files);
void filter_functions_free(struct filter_functions *functions);

#endif
