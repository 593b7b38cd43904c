/* Source lines from DWARF. Internal to the readers of DWARF. */
#ifndef PCOMP_SYMBOL_LINES_H
#define PCOMP_SYMBOL_LINES_H

#include "reporters/symbols/symbol_types.h"

#include <elfutils/libdw.h>

/* Answers queries (sorted by address) from `dwarf`. Texts live as long as it does. */
void dwarf_answer_lines(Dwarf *dwarf, struct line_query *queries, size_t count);

/* Path of the file that a function is defined in; NULL unknown. (libdw's dwarf_decl_file aborts where a unit has no
 * list of files, as gcc's split DWARF.) Lives as long as the Dwarf. */
const char *dwarf_die_file(Dwarf_Die *die);

#endif
