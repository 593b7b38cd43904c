/* Names and source lines of the functions of one module (an executable or shared library), from its file on disk and
 * its separate debug file. Nothing is fetched from a network.
 *
 * The file must be the one that ran: its build-id is compared, or size and time where it has none. Addresses are ELF
 * addresses (address in the process less the load bias). Not thread-safe on one struct symbols. */
#ifndef PCOMP_SYMBOLS_H
#define PCOMP_SYMBOLS_H

#include "profiler/format/profile_format.h"
#include "reporters/symbols/debug_file.h"
#include "reporters/symbols/symbol_types.h"

#include <stddef.h>

struct symbols;

struct symbol_source { /* which module, as the profile recorded it */
    const char *path;
    const uint8_t *build_id;
    size_t build_id_size; /* 0 unknown */
    uint64_t file_size;   /* 0 unknown */
    int64_t file_mtime_ns;
};

/* Of a module of a profile; its path: NULL not known. Lives as long as both. */
static inline struct symbol_source symbol_source(const struct pcomp_module *module, const char *path)
{
    bool whole = module->build_id_size <= sizeof module->build_id;
    return (struct symbol_source){path ? path : "", module->build_id, whole ? module->build_id_size : 0,
                                  module->file_size, module->file_mtime_ns};
}

/* Whether the opened file is the one that ran. */
bool symbols_is_same(const struct elf_file *file, const struct symbol_source *source);

/* Opens what there is. `problem` receives one line when names will be missing or doubtful (module missing, rebuilt,
 * without symbols), else "". NULL when nothing can be known of the module (problem says why). */
struct symbols *symbols_open(const struct symbol_source *source, char *problem, size_t problem_size);
void symbols_close(struct symbols *symbols);

/* Linkage name of the function that begins at `address`; of several names the same one always, global ones first.
 * NULL when there is none. */
const char *symbols_name(const struct symbols *symbols, uint64_t address);

/* Linkage name of the function that `address` lies in; NULL when no symbol covers it. */
const char *symbols_name_around(const struct symbols *symbols, uint64_t address);

/* Name of the variable that `address` lies in, and where in it; NULL when no symbol covers it. Looks through the whole
 * symbol table. Valid as long as `symbols`. */
const char *symbols_variable(const struct symbols *symbols, uint64_t address, uint64_t *offset);

/* Answers all queries, which must be sorted by address. One pass over the debug information for all of them. */
void symbols_lines(struct symbols *symbols, struct line_query *queries, size_t count);

/* The functions that the instruction at `address` belongs to: the innermost inlined one first, the one it was compiled
 * into last, the latter by its name in the symbol table; without debug information only that. Returns how many, at
 * most `room` (the outermost are left out). */
size_t symbols_scopes(struct symbols *symbols, uint64_t address, struct symbol_scope *scopes, size_t room);

/* True when there is debug information about functions. */
bool symbols_have_scopes(struct symbols *symbols);

/* The ELF address of what lies at `offset` in the file. False: it is not loaded. */
bool symbols_address(const struct symbols *symbols, uint64_t offset, uint64_t *address);

/* All functions, by address. */
size_t symbols_count(const struct symbols *symbols);
uint64_t symbols_entry(const struct symbols *symbols, size_t i, const char **linkage_name);

#endif
