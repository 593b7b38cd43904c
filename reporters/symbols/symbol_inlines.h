/* Which functions an instruction belongs to, inlined ones too, from DWARF. Internal to symbols.c. */
#ifndef PCOMP_SYMBOL_INLINES_H
#define PCOMP_SYMBOL_INLINES_H

#include "reporters/symbols/symbol_types.h"

#include <elfutils/libdw.h>

struct inline_index;

/* Finds all functions of `dwarf`, which must outlive the index. NULL: none, or out of memory. */
struct inline_index *inline_index_new(Dwarf *dwarf);
void inline_index_free(struct inline_index *index);

/* As symbols_scopes. Texts live as long as the Dwarf. */
size_t inline_index_scopes(const struct inline_index *index, uint64_t address, struct symbol_scope *scopes,
                           size_t room);

#endif
