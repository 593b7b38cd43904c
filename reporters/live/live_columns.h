/* What the cells of a live view show: rates as shares of one processor, totals as times. */
#ifndef PCOMP_LIVE_COLUMNS_H
#define PCOMP_LIVE_COLUMNS_H

#include "reporters/base/text.h"
#include "reporters/live/live_rows.h"

enum live_column {
    LIVE_COLUMN_TIME,  /* computing, or raw time */
    LIVE_COLUMN_HALF,  /* its ±; with raw time what measuring took of it */
    LIVE_COLUMN_OTHER, /* of a function the inclusive time, or, where that is shown, the exclusive one */
    LIVE_COLUMN_WAITING,
    LIVE_COLUMN_CALLS,
    LIVE_COLUMN_CALLS_HALF,
    LIVE_COLUMN_LEVEL, /* or the state of a thread */
    LIVE_COLUMN_NAME,
    LIVE_COLUMNS
};

struct live_column_spec {
    const char *title, *title_raw, *title_totals; /* of compensated rates; where it differs: of raw ones, of totals */
    unsigned width;                               /* on a terminal; the name has what is left */
    unsigned drop;                                /* where there is no room, the greatest go first; 0 stays */
    int sort;                                     /* enum live_sort by it; -1 none */
};
extern const struct live_column_spec live_columns[LIVE_COLUMNS];

const char *live_column_title(enum live_column column, const struct live_rows *rows, const struct live_order *order);

/* Text of a cell, but that of the name, into buffer (TEXT_NUMBER + 1 bytes); "" where nothing is to be said. */
const char *live_cell(char *buffer, enum live_column column, const struct live_row *row, const struct live_rows *rows,
                      const struct live_order *order);

/* Two lines about all of it, malloc'ed: what runs, since when; and its figures. NULL: out of memory. */
char *live_head_program(const struct live_snapshot *now);
char *live_head_figures(const struct live_rows *rows, const struct live_snapshot *now);

/* "running", "ended", "killed". */
const char *live_state(const struct live_snapshot *now);

#endif
