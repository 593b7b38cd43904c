/* `pcomp top` and `pcomp tui`: reads the profile again and again, and shows it. */
#ifndef PCOMP_LIVE_RUN_H
#define PCOMP_LIVE_RUN_H

#include "reporters/live/live_rows.h"
#include "reporters/live/live_snapshot.h"

struct live_options {
    const char *command; /* "top" */
    struct live_source source;
    struct live_order order;
    double interval; /* seconds */
    uint64_t count;  /* snapshots; 0: until the program ends */
    uint64_t limit;  /* rows; 0: all */
    bool json;
    bool totals; /* begin with totals instead of rates */
};

/* Prints snapshots to standard output. An exit status, after a message where it is not 0. */
int live_run_print(const struct live_options *options);

/* The browser on the terminal. */
int live_run_browse(const struct live_options *options);

#endif
