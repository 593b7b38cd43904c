/* What `pcomp top` was told to watch: a data directory, or a process by its id. */
#ifndef PCOMP_LIVE_TARGET_H
#define PCOMP_LIVE_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct live_target {
    char *dir;   /* data directory, or one profile file where its directory is not known; malloc'ed */
    int process; /* the only one that is watched; 0: all of the directory */
};

/* `operand` is a directory or a profile file where there is one of that name, else the id of a running process: one
 * that is measured, or one that started such processes (as pcomp record did). False after writing one line to error. */
bool live_target_find(const char *operand, struct live_target *target, char *error, size_t error_size);
void live_target_free(struct live_target *target);

/* False, after writing one line to error, where a running process records a trace into the directory: there are no
 * times to read before it has ended. */
bool live_target_check(const char *dir, char *error, size_t error_size);

#endif
