/* Which functions of a profile an instruction belongs to, where debug information tells: ones that were inlined there,
 * too, if their sites were. Opens the modules of a file as they are asked for. Not thread-safe. */
#ifndef PCOMP_SCOPE_FUNCTIONS_H
#define PCOMP_SCOPE_FUNCTIONS_H

#include "reporters/profile/profile_file.h"

struct scope_functions;

/* Modules that stay open for all files of a directory, whose processes have most of them in common. Empty: NULL. */
struct scope_symbols;
void scope_symbols_free(struct scope_symbols *open);

/* The file and *open, which grows, must outlive it. open NULL: no symbols are read, and no function is known anywhere.
 * NULL: out of memory. */
struct scope_functions *scope_functions_new(const struct profile_file *file, struct scope_symbols **open);
void scope_functions_free(struct scope_functions *s);

/* Ids in the file of the functions at an address of the process, innermost first; at most `room`. Returns how many: 0
 * where none is known to the profile. *failed: out of memory. */
size_t scope_functions_at(struct scope_functions *s, uint64_t pc, uint32_t *ids, size_t room, bool *failed);

#endif
