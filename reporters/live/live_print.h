/* Snapshots for scripts: text, or one line of JSON each. */
#ifndef PCOMP_LIVE_PRINT_H
#define PCOMP_LIVE_PRINT_H

#include "reporters/live/live_rows.h"

#include <stdio.h>

/* The first `limit` rows; 0: all. An exit status, after a message where it is not 0. */
int live_print_text(FILE *out, const struct live_rows *rows, const struct live_snapshot *now,
                    const struct live_order *order, size_t limit);
int live_print_json(FILE *out, const struct live_rows *rows, const struct live_snapshot *now, size_t limit);

#endif
