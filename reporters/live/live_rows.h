/* The rows that are shown: functions, threads, callers and callees, as rates between two snapshots or as totals. */
#ifndef PCOMP_LIVE_ROWS_H
#define PCOMP_LIVE_ROWS_H

#include "reporters/live/live_rates.h"

enum live_row_kind { LIVE_ROW_FUNCTION, LIVE_ROW_THREAD, LIVE_ROW_CALLER, LIVE_ROW_SELF, LIVE_ROW_CALLEE };

struct live_row {
    const char *name;  /* of the snapshot `now` */
    const char *level; /* of a function, or the state of a thread; NULL unknown */
    double rank;       /* of the level: of a function that is measured less it is greater; NAN unknown */
    uint32_t index;    /* of the function or the thread in the tree of `now` */
    enum live_row_kind kind;
    struct live_figures inclusive, exclusive; /* the same for threads, callers and callees */
};

struct live_rows {
    struct live_row *list;
    size_t count;
    double seconds; /* that the rates are of; 0: totals since the start of the run */
    struct live_figures total;
};

enum live_sort { LIVE_BY_COMPUTING, LIVE_BY_WAITING, LIVE_BY_CALLS, LIVE_BY_LEVEL, LIVE_BY_NAME, LIVE_SORTS };

struct live_order {
    enum live_sort by;
    bool inclusive, raw; /* raw: raw time instead of computing */
    bool reverse;
};

/* Totals where before is NULL or cannot be compared with now. Names belong to `now`. False: out of memory. Each
 * replaces *rows, which begins as {0}. */
bool live_rows_functions(struct live_rows *rows, const struct live_snapshot *before, const struct live_snapshot *now);
bool live_rows_threads(struct live_rows *rows, const struct live_snapshot *before, const struct live_snapshot *now);

/* Callers of a function of `now`, itself, and its callees, in this order. Makes the edges of both. */
bool live_rows_calls(struct live_rows *rows, struct live_snapshot *before, struct live_snapshot *now,
                     uint32_t function);

/* Callers, the function and callees stay apart. */
void live_rows_sort(struct live_rows *rows, const struct live_order *order);
void live_rows_free(struct live_rows *rows);

/* The value that a row is sorted by; NAN: unknown. */
double live_row_value(const struct live_row *row, const struct live_order *order);

#endif
