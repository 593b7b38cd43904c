/* One execution condensed to what a picture of a certain width can show: for each row and column what the location did
 * most of that time, and the lines between rows. Streams over the traces: memory is rows x columns, whatever the number
 * of events. */
#ifndef PCOMP_TIMELINE_ROWS_H
#define PCOMP_TIMELINE_ROWS_H

#include "reporters/trace/files/trace_links.h"
#include "reporters/trace/trace_directory.h"
#include "reporters/trace/trace_functions.h"

/* What a location did most in a column. */
enum timeline_cell {
    TIMELINE_NOTHING, /* it did not exist */
    TIMELINE_OUTSIDE, /* in no instrumented function, or paused */
    TIMELINE_WAITING, /* in an operation in which it may wait */
    TIMELINE_FLUSH,   /* the recorder worked */
    TIMELINE_FUNCTION /* and above: this + number in trace_functions */
};
#define TIMELINE_FLUSHED 0x80000000u /* bit in a cell: a flush lay in it */

struct timeline_line {
    uint32_t from_row, to_row;
    double from_x, to_x; /* columns; may lie outside */
    enum trace_link_kind kind;
};

enum { TIMELINE_LINES_MAX = 2000 };

struct timeline_view {
    double from, to; /* ns since the beginning of the execution */
    uint32_t columns;
    uint32_t rows_max; /* of more locations, every so many-th has a row */
};

struct timeline_rows {
    uint32_t rows, columns;
    uint32_t *locations; /* by row: its index in the directory */
    uint32_t *cells;     /* row by row */
    struct timeline_line *lines;
    uint32_t line_count;
    uint64_t line_step; /* every so many-th of all is kept */
    double *times;      /* by number of the function: exclusive ns in the view, rows together */
    uint32_t time_count;
};

/* Condenses the execution, which begins at tick `first`. `process` is what trace_functions_add returned. The files must
 * be at their first records, and are at their ends afterwards. False after writing to error; rows is then empty. */
bool timeline_condense(struct trace_directory *traces, struct trace_functions *functions, uint32_t process,
                       uint64_t first, const struct timeline_view *view, struct timeline_rows *rows, char *error,
                       size_t error_size);
void timeline_rows_free(struct timeline_rows *rows);

#endif
