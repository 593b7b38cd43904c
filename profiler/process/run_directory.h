/* The data directory: one a run, joined by every process of the run, never taken from a live one. Uses no malloc: the
 * first hook may fire inside an instrumented malloc. Signals blocked, one thread. */
#ifndef PCOMP_RUN_DIRECTORY_H
#define PCOMP_RUN_DIRECTORY_H

#include <stddef.h>

/* Creates or joins config.data. Writes the run's id (32 hex digits and NUL) to `id`. Returns NULL or a static text that
 * says what failed; errno tells why. */
const char *run_directory_open(char id[33]);

/* At the end of the run `id`: a directory that was deleted meanwhile is made again, but where a trace was recorded,
 * whose files are gone with it. */
enum run_directory_end {
    RUN_DIRECTORY_THERE, /* or out of reach: the process has another root directory by now */
    RUN_DIRECTORY_MADE_AGAIN,
    RUN_DIRECTORY_GONE
};
enum run_directory_end run_directory_check(const unsigned char id[16]);

/* Makes or empties the data directory config.data.LABEL for a snapshot of the run, and writes its name to `path` (of
 * `size` bytes). Snapshots of other processes of the same run are kept. Returns 0 or an errno. */
int run_directory_for_snapshot(const char *label, char *path, size_t size);

/* Field 22 of /proc/PID/stat: when the process started; 0: there is no such process. */
unsigned long long process_start_time(int pid);

/* The kernel's boot id as 16 bytes. */
void read_boot_id(unsigned char id[16]);

#endif
