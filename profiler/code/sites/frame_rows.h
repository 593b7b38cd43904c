/* Rules of frames that were found before, by program counter: stacks of samples have the same callers again and again,
 * and half of what storing a stack takes is to find their rules in the unwind tables. x86-64. Any thread, at any
 * moment: an entry that another thread, or an interrupted one, uses just then is taken for unknown. */
#ifndef PCOMP_FRAME_ROWS_H
#define PCOMP_FRAME_ROWS_H

#include "profiler/code/sites/frame_rules.h"

/* `generation`: how often modules were unloaded; what was kept before the last time is not known any more. */
bool frame_rows_find(uint64_t pc, uint64_t generation, struct frame_row *row);
void frame_rows_keep(uint64_t pc, uint64_t generation, const struct frame_row *row);

#endif
