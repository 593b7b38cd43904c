/* The whole way of call_tree_load without files, processes and symbols: for tests and the fuzzer. */
#ifndef PCOMP_CALL_TREE_MEMORY_H
#define PCOMP_CALL_TREE_MEMORY_H

#include "reporters/tree/call_tree.h"

/* `data` (8-byte aligned) is read as the profile file of an ended process. As call_tree_load otherwise. */
struct call_tree *call_tree_from_memory(const void *data, size_t size, const struct call_tree_options *options,
                                        char *error, size_t error_size);

#endif
