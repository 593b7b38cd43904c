/* The head of a report, and its sentence. */
#ifndef PCOMP_REPORT_HEAD_H
#define PCOMP_REPORT_HEAD_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

/* Head of every document: in JSON the keys model, mode, unit, total, total_all_threads, calibration; in text one
 * sentence and at most two lines of 80 columns; verbose: what ran, what it took with and without the measurement, and
 * how that is known. */
void report_head(struct emitter *emitter, const struct call_tree *tree, const char *dir, bool verbose);

/* "PROG takes 1.2 s ± 3 ms; measuring made that 1.3 s (1.083 times).": at most 80 columns, malloc'ed; NULL: out of
 * memory. */
char *report_sentence(const struct call_tree *tree);

#endif
