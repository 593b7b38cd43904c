/* What reports say of calls that were counted in place: how many functions, what it cost. */
#ifndef PCOMP_REPORT_COUNTS_H
#define PCOMP_REPORT_COUNTS_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

/* Lines below the total; nothing where no call was counted in place. */
void report_counts_text(struct emitter *emitter, const struct call_tree *tree);

/* The same as fields of the object "counting"; none where no process counted in place. */
void report_counts_fields(struct emitter *emitter, const struct call_tree *tree);

/* N of a function; null where counters leave it unknown. */
void report_emit_calls(struct emitter *emitter, const struct tree_function *function);

/* M, L of a function or call path: null where calls below may have been counted in place. */
void report_emit_below(struct emitter *emitter, const struct call_tree *tree, uint64_t calls);

/* Whether the exclusive time is below zero, and that is no sum of many functions' corrections. */
bool report_exceeds(const struct tree_function *function, double exclusive);

#endif
