/* Names of functions from the symbol tables of ELF files, for tests: a reader of their own, so that a mistake of the
 * reporters cannot hide one of the library. Not thread-safe; files stay mapped until the process ends. */
#ifndef PCOMP_TEST_ELF_SYMBOLS_H
#define PCOMP_TEST_ELF_SYMBOLS_H

#include <stdint.h>

/* The function at ELF address `address` of the file `path`, without suffixes of the compiler like ".part.0"; NULL:
 * unknown. Belongs to this module. */
const char *elf_symbol_name(const char *path, uint64_t address);

#endif
