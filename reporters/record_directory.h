/* The data directory of a new run: an older one is moved aside, a run id is made. */
#ifndef PCOMP_RECORD_DIRECTORY_H
#define PCOMP_RECORD_DIRECTORY_H

#include <stdbool.h>

struct record_directory {
    char *path;      /* absolute */
    char run_id[33]; /* 32 hex digits */
    char *moved_to;  /* where the older one is now; NULL: there was none */
};

/* Moves an older data directory `name` to NAME.old (replacing that), creates `name` and its file `run`. Refuses a
 * directory that a live process uses and one that is not a data directory. False after a message. */
bool record_directory_create(struct record_directory *directory, const char *name);

/* Nothing was recorded: removes it again and moves the older one back. */
void record_directory_discard(struct record_directory *directory);
void record_directory_free(struct record_directory *directory);

#endif
