/* A set of runs of one program, as `pcomp record --repeat` leaves it: a directory of data directories.
 *
 *   DIR/run      "pcomp-run 1", "id <32 hex digits>", "runs N" (asked for), "middle K" (once all have ended)
 *   DIR/1 ...    a data directory a run; of one that recorded nothing there is none
 *
 * A command that reads one run reads the one in the middle: the one whose time is the median. Thread-safe. */
#ifndef PCOMP_RUN_SET_H
#define PCOMP_RUN_SET_H

#include <stdbool.h>
#include <stddef.h>

#define RUN_SET_MAX 10000 /* runs */

struct run_set {
    unsigned runs;   /* asked for; 0: not a set */
    unsigned middle; /* 0: not known, for they are still running or were interrupted */
};

/* False: the directory is not there, or not one of a set; *set is then zero. */
bool run_set_read(const char *dir, struct run_set *set);

/* Adds to DIR/run. False with errno. */
bool run_set_write(const char *dir, const char *key, unsigned value);

/* Path of run K: malloc'ed, NULL out of memory. */
char *run_set_path(const char *dir, unsigned run);

/* The runs that are there, in order: malloc'ed paths in a malloc'ed array, *count of them; NULL: out of memory. */
char **run_set_list(const char *dir, const struct run_set *set, size_t *count);
void run_set_list_free(char **list, size_t count);

/* Path of the run to read where one is wanted: the one in the middle, else the first that is there. *run is its number.
 * NULL: not a set, none is there, or out of memory. malloc'ed. */
char *run_set_one(const char *dir, unsigned *run);

#endif
