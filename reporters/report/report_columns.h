/* Columns that the flat profile and the call-path tree share: time on and off the processor, percentiles, counters. */
#ifndef PCOMP_REPORT_COLUMNS_H
#define PCOMP_REPORT_COLUMNS_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>
#include <stddef.h>

/* Columns of computing, waiting and ready time, inclusive and exclusive, and their cells. A table lists them twice: for
 * text where they are read, for other formats behind all that was there before. REPORT_OFF_CPU keeps the places, which
 * report_off_cpu_columns fills. `inclusive`: text shows these, else the exclusive ones. */
#define REPORT_OFF_CPU_TEXT "computing in text"
#define REPORT_OFF_CPU_KEYS "computing by key"
#define REPORT_OFF_CPU_1(which)                                                                                        \
    {                                                                                                                  \
        which, NULL, NULL, EMIT_TIME, 0                                                                                \
    }
#define REPORT_OFF_CPU(which)                                                                                          \
    REPORT_OFF_CPU_1(which), REPORT_OFF_CPU_1(which), REPORT_OFF_CPU_1(which), REPORT_OFF_CPU_1(which),                \
        REPORT_OFF_CPU_1(which), REPORT_OFF_CPU_1(which)
void report_off_cpu_columns(struct emit_column *columns, size_t count, const struct call_tree *tree, bool inclusive);
void report_emit_off_cpu(struct emitter *emitter, const struct call_tree *tree, const struct tree_times *inclusive,
                         const struct tree_times *exclusive);

/* Columns and cells of the percentiles of the time of one activation; text does not have them. */
#define REPORT_PERCENTILE_COLUMNS                                                                                      \
    {"percentiles|50", NULL, NULL, EMIT_TIME, 0}, {"percentiles|90", NULL, NULL, EMIT_TIME, 0},                        \
    {                                                                                                                  \
        "percentiles|99", NULL, NULL, EMIT_TIME, 0                                                                     \
    }
void report_emit_percentiles(struct emitter *emitter, const struct call_tree *tree, const struct time_spread *spread,
                             double min, double greatest);

/* Columns: the common ones, and those of counters. */
struct report_columns {
    struct emit_column *list;
    size_t count;
    char *keys; /* memory of counter keys */
};
/* base, then for each counter 6 columns: raw, compensated, uncertainty, each inclusive and exclusive, then last.
 * False: out of memory. */
bool report_columns_make(struct report_columns *columns, const struct call_tree *tree, const struct emit_column *base,
                         size_t base_count, const struct emit_column *last, size_t last_count);
void report_columns_free(struct report_columns *columns);
void report_emit_counters(struct emitter *emitter, const struct call_tree *tree, const struct tree_counter *counters);

#endif
