/* The data directory of a new run: an older one is moved aside, a run id is made. */
#ifndef PCOMP_RECORD_DIRECTORY_H
#define PCOMP_RECORD_DIRECTORY_H

#include <stdbool.h>

struct record_directory {
    char *path;      /* absolute */
    char run_id[33]; /* 32 hex digits */
    char *moved_to;  /* where the older one is now; NULL: there was none */
    bool shared;     /* with the other processes of an MPI job, each under a `pcomp record` of its own */
    bool joined;     /* another one of them has created it, and put all in it that is there before the run */
    int rank;        /* in that job */
    int lock;        /* keeps the others out; -1 not held */
};

/* In an MPI job: joins the directory of the job if there is one. Else moves an older data directory `name` to NAME.old
 * (replacing that), creates `name` and its file `run`. Refuses a directory that a live process uses and one that is not
 * a data directory. False after a message. */
bool record_directory_create(struct record_directory *directory, const char *name);

/* All is in the directory that must be there before the run: lets the other processes of the job join it. */
void record_directory_ready(struct record_directory *directory);

/* True when record_directory_put to this name may succeed; false after a message. */
bool record_directory_check(const char *name);

/* Moves a complete data directory `made` (on the same file system) to `name`, an older one there to NAME.old. False
 * after a message; then what was there is there. */
bool record_directory_put(const char *made, const char *name);

/* Of a new run: its id, and the file `run` of its directory (text: the id in hex digits). False with errno. */
bool record_directory_new_id(unsigned char id[16]);
bool record_directory_write_run(const char *directory, const unsigned char id[16], char text[33]);

/* Nothing was recorded: removes it again and moves the older one back. A shared one stays. */
void record_directory_discard(struct record_directory *directory);
void record_directory_free(struct record_directory *directory);

#endif
