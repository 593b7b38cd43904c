/* Source lines from DWARF. Internal to symbols.c. */
#ifndef PCOMP_SYMBOL_LINES_H
#define PCOMP_SYMBOL_LINES_H

#include "reporters/symbols.h"

#include <elfutils/libdw.h>

/* Answers queries (sorted by address) from `dwarf`. Texts live as long as it does. */
void dwarf_answer_lines(Dwarf *dwarf, struct line_query *queries, size_t count);

#endif
