/* What the compiler was told to leave out of instrumentation, as the debugging information of a module says: gcc notes
 * its switches in the producer of each compile unit (-grecord-gcc-switches, its default). Clang does not. */
#ifndef PCOMP_BUILD_SWITCHES_H
#define PCOMP_BUILD_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>

struct left_out {
    bool files;   /* by the name of the source file; else by the name of the function */
    char *texts;  /* the switch's value: "A,B", substrings of the names */
    size_t units; /* compile units built with it */
};

struct build_switches {
    struct left_out *list; /* without duplicates, in the order of the units */
    size_t count;
    size_t units; /* compile units built with -finstrument-functions */
};

/* Of the ELF file at path, or of its separate debug file. False: there is no debugging information. */
bool build_switches_read(struct build_switches *switches, const char *path);
void build_switches_free(struct build_switches *switches);

/* The name of the switch. */
const char *left_out_switch(const struct left_out *left_out);

enum build_form { BUILD_UNKNOWN, BUILD_NO_LINES, BUILD_UNOPTIMISED, BUILD_OPTIMISED };

/* How the ELF file at path was built, as its first compile units say: without debugging information, or all of them
 * by gcc without -O. */
enum build_form build_form_read(const char *path);

#endif
