/* What became of each function of a source in one build of it: read from the DWARF of a program or shared library.
 *
 * A function is known by its name and source file: static functions of one name in several files are several functions,
 * one in a header that many files include is one. Debugging information in a separate file is found as for symbols.h.
 * Texts live as long as the struct dwarf_functions. Not thread-safe on one struct. */
#ifndef PCOMP_DWARF_FUNCTIONS_H
#define PCOMP_DWARF_FUNCTIONS_H

#include "reporters/symbols/debug_file.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dwarf_form {
    FORM_CODE,    /* has code of its own, if only somewhere */
    FORM_PART,    /* inlined everywhere but for a rarely run rest of it that gcc split off (NAME.part.N) */
    FORM_INLINED, /* inlined everywhere */
    FORM_GONE,    /* neither code nor inlined instance: dissolved in its callers, or never called */
    FORM_UNKNOWN  /* not in this DWARF */
};

struct dwarf_function {
    const char *name;    /* of the source: no scope, no parameters */
    const char *linkage; /* equals name where DWARF has none */
    const char *file;    /* NULL unknown */
    unsigned line;       /* 0 unknown */
    enum dwarf_form form;
    Dwarf_Die die;    /* its definition */
    const char *key;  /* what equal functions have in common: the demangled name, or the linkage name */
    unsigned found;   /* FOUND_* bits, of which form is made */
    unsigned sources; /* different functions with this key */
};

struct dwarf_symbol;

struct dwarf_functions {
    struct dwarf_function *list; /* by key and file */
    size_t count;
    /* private */
    struct elf_file main, debug;
    Dwarf *dwarf;
    struct dwarf_symbol *symbols;
    size_t symbol_count;
};

/* Reads the file at path. False after writing "PATH: WHY (what to do)" to error; *functions is then empty. */
bool dwarf_functions_read(struct dwarf_functions *functions, const char *path, char *error, size_t error_size);
void dwarf_functions_free(struct dwarf_functions *functions);

/* The function with that linkage name (suffixes of clones are ignored) in a source file of that name (its folder may
 * be another one; NULL: any). Of several the one with the most code, so that FORM_INLINED holds for all. NULL: none. */
const struct dwarf_function *dwarf_functions_find(const struct dwarf_functions *functions, const char *linkage,
                                                  const char *file);

/* Bytes of a linkage name before the suffix of a clone: .constprop.0, .isra.0, .part.0, .lto_priv.0, .llvm.123, ... */
size_t linkage_without_clone(const char *linkage);

#endif
