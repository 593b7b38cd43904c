/* --only and --skip: whether a function is measured. Decisions of `pcomp record` (file DIR/filter, which knows
 * demangled names and source files) come first; then linkage names and module paths, matched here. Signals blocked, one
 * thread. */
#ifndef PCOMP_FILTER_H
#define PCOMP_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads DIR/filter of data directory `directory` where there is one. */
void filter_start(const char *directory);

bool filter_skips(uint32_t module, uint64_t address);
bool filter_skips_region(const char *name);

#endif
