/* The linkage name of a function, for --only and --skip inside the process. Everything else about symbols is the pcomp
 * command's work. */
#ifndef PCOMP_ELF_NAMES_H
#define PCOMP_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies the name of the function symbol at `address` (as in the ELF file at `path`) to name. False: no such symbol.
 * The functions of one file are kept, until another is asked for; a file that changes meanwhile is not looked at again.
 * Damaged files are refused. One thread at a time, signals blocked. */
bool elf_function_name(const char *path, uint64_t address, char *name, size_t size);

#endif
