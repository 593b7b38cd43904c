/* The two programs of `pcomp verify`, run silently: what the uninstrumented one took from main's entry to its end, and
 * the profile of the instrumented one. Not thread-safe. */
#ifndef PCOMP_VERIFY_RUNS_H
#define PCOMP_VERIFY_RUNS_H

#include "reporters/launch/record_environment.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>

struct verify_programs {
    const char *plain, *instrumented; /* commands for sh -c */
    char *scratch;                    /* directory of all that is in files between runs */
    char *stamp_library, *library;    /* to be preloaded: into both; into the instrumented program */
    char *plain_program;              /* the executable file that is timed; NULL before verify_programs_warm */
    bool want_lines;                  /* the caller's choice: profiles know where their functions are defined */
};

/* False after a message; to be closed in any case, which removes the scratch files. */
bool verify_programs_open(struct verify_programs *programs, const char *plain, const char *instrumented);
void verify_programs_close(struct verify_programs *programs);

/* One run of each that does not count. It tells which of the processes of the plain command is the program: the first
 * one whose executable file does not run in the instrumented command, too (as shells and wrappers do). False after a
 * message. */
bool verify_programs_warm(struct verify_programs *programs, const struct record_options *method);

/* Nanoseconds from main's entry to its end; NAN after a message. */
double verify_run_plain(const struct verify_programs *programs);

/* The profile of one run, to be freed with call_tree_free; NULL after a message. */
struct call_tree *verify_run_instrumented(const struct verify_programs *programs, const struct record_options *method);

/* Runs `command` by sh -c, with nothing to read and what it writes to stdout in the file `output` (NULL: nowhere), the
 * NULL-terminated "KEY=value" texts of `set` in its environment. False after a message that says `what` 'shown', also
 * where its exit status is not 0. */
bool verify_run_command(const struct verify_programs *programs, const char *what, const char *shown,
                        const char *command, const char *output, char *const *set);

/* What LD_PRELOAD must be for `library` to come before what already is in it; malloc'ed, NULL: out of memory. */
char *verify_preload(const char *library);

#endif
