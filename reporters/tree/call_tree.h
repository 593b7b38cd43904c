/* A data directory, read, checked, named and merged: what every reporter works on.
 *
 * Times are nanoseconds as double; unknown is NAN. The tree belongs to the caller of call_tree_load and is read-only
 * afterwards; not thread-safe while loading. Nothing is clamped: a compensated value may be negative. */
#ifndef PCOMP_CALL_TREE_H
#define PCOMP_CALL_TREE_H

#include "reporters/tree/build/call_tree_types.h"

/* Reads DIR. Returns NULL on failure after writing one line "WHAT: WHY (what to do)", with file and offset where there
 * is one, to error (of size error_size). Live processes are read without disturbing them; files of ended processes that
 * still lie in memory (see pcomp-data(5)) are moved into DIR first. */
struct call_tree *call_tree_load(const char *dir, const struct call_tree_options *options, char *error,
                                 size_t error_size);
void call_tree_free(struct call_tree *tree);

/* For tests and the fuzzer: `data` (8-byte aligned) is read as the profile file of an ended process. As call_tree_load
 * otherwise. */
struct call_tree *call_tree_from_memory(const void *data, size_t size, const struct call_tree_options *options,
                                        char *error, size_t error_size);

/* Order of matching functions of two trees: 0 for the same linkage name in a file of the same name, for binaries may
 * have moved or been rebuilt. */
int call_tree_match(const struct tree_function *f, const struct tree_function *g);

#endif
