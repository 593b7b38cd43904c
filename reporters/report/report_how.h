/* How the compensation of a tree was obtained, as every document that shows its times says it. */
#ifndef PCOMP_REPORT_HOW_H
#define PCOMP_REPORT_HOW_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

#define REPORT_HOW 512 /* bytes that hold the line below */

/* One line: "mode full: every call timed; model delta: one call costs 25 ns in its own time, 39 ns in its callers'
 * (measured by the run itself when it started); fitted to: TEXT". Returns buffer, of REPORT_HOW bytes. */
const char *report_how(const struct call_tree *tree, char *buffer);

/* The same in a text document, what it was fitted to on a line of its own, each behind `indent`. */
void report_how_text(struct emitter *emitter, const char *indent, const struct call_tree *tree);

/* The same as keys how|... and fitted, below `prefix` ("" or "before|"). */
void report_how_fields(struct emitter *emitter, const char *prefix, const struct call_tree *tree);

/* Of that, what concerns --budget-trace; nothing where there is none. */
void report_trace_budget_text(struct emitter *emitter, const char *indent, const struct call_tree *tree);
void report_trace_budget_fields(struct emitter *emitter, const char *prefix, const struct call_tree *tree);

/* "none", "paper", "split"; of a replay "event" or "time". */
const char *report_model_name(const struct call_tree *tree);

#endif
