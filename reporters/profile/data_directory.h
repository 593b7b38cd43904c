/* A data directory: which profile files it has, which of their processes still run, and the fetching ("adoption") of
 * files that ended processes left in memory.
 *
 *   DIR/run               "pcomp-run 1", "id <32 hex digits>"
 *   DIR/<pid>-<n>.pcomp   a profile file, or a symbolic link to /dev/shm/pcomp-<uid>-<16 hex digits>-<pid>-<n>
 *
 * Of a set of runs (run_set.h) one is opened, and a warning says which.
 *
 * Not thread-safe on one directory; several pcomp commands at once are. */
#ifndef PCOMP_DATA_DIRECTORY_H
#define PCOMP_DATA_DIRECTORY_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>

enum data_status {
    DATA_ENDED,    /* nobody writes it any more; header.state tells whether the process was killed */
    DATA_LIVE,     /* its process runs and writes it */
    DATA_STARTING, /* its process runs and has not written the header yet */
    DATA_DENIED,   /* its process runs, and this user may not read it */
    DATA_GONE      /* a link to memory that is no more (reboot, clean-up of /dev/shm) */
};

struct data_file {
    char *path;     /* DIR/<pid>-<n>.pcomp */
    char *memory;   /* where the link leads, while it is one; else NULL */
    int pid;        /* of its name; 0 for a single file with another name */
    unsigned image; /* n: 0, 1, ... for exec'ed images and reused pids */
    enum data_status status;
};

struct data_directory {
    char *path;              /* as given; of a set, that of the run */
    char run_id[33];         /* "" when there is none */
    struct data_file *files; /* by pid and image */
    size_t file_count;
    char **warnings; /* what could not be fetched, and why */
    size_t warning_count;
};

/* Lists `path`, a data directory or one profile file. With `adopt`, files of ended processes are moved from memory into
 * the directory first. False after writing one line to error; *directory is then empty. */
bool data_directory_open(const char *path, bool adopt, struct data_directory *directory, char *error,
                         size_t error_size);
void data_directory_close(struct data_directory *directory);

/* True when the process that wrote this header runs on this machine now. */
bool data_process_runs(const struct pcomp_header *header);

#endif
