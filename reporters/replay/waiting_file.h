/* DIR/waiting: the waiting in a replayed execution, by kind, location and call path. A text of lines with tabs between:
 *
 *   pcomp-waiting 1
 *   KIND  LOCATION  COUNT  MEASURED  APPROXIMATED  FUNCTION  CALL PATH         times in ns
 *
 * In names, bytes below 0x20 and backslashes are written as \xHH. */
#ifndef PCOMP_WAITING_FILE_H
#define PCOMP_WAITING_FILE_H

#include "reporters/replay/drive/replay_drive.h"
#include "reporters/trace/trace_functions.h"

struct waiting_row {
    char *kind, *location, *function, *path; /* function "" where none was active */
    uint64_t count;
    double measured, approximated; /* ns */
};

struct waiting_table {
    struct waiting_row *rows; /* by measured time, the greatest first */
    size_t count;
};

/* Writes DIR/waiting, or adds to it. `functions` as in event_places.h. False after writing one line to error. */
bool waiting_file_write(const char *dir, const struct trace_directory *traces, const struct replay_outcome *outcome,
                        struct trace_functions *functions, bool append, char *error, size_t error_size);

/* Reads DIR/waiting. False after writing one line to error. */
bool waiting_file_read(const char *dir, struct waiting_table *table, char *error, size_t error_size);
void waiting_table_free(struct waiting_table *table);

#endif
