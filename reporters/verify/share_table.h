/* How the time of a program is spread over its functions, three ways: by samples of the uninstrumented program, and by
 * the raw and the compensated exclusive times of profiles. Not thread-safe. */
#ifndef PCOMP_SHARE_TABLE_H
#define PCOMP_SHARE_TABLE_H

#include "reporters/symbols/function_index.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARE_HALVES = 2 }; /* of the samples: how far they differ says how far the truth can be trusted */

struct share_function {
    uint64_t truth[SHARE_HALVES]; /* samples */
    double raw, compensated;      /* ns, exclusive */
};

struct share_table {
    struct function_index index;
    struct share_function *functions; /* by number in the index */
    size_t room;
    bool inlined; /* what was inlined is measured there (hooked_functions_inlined) */
};

/* Adds the exclusive times of the functions of a profile. False: out of memory. */
bool share_table_add(struct share_table *table, const struct call_tree *tree);
void share_table_free(struct share_table *table);

/* The function that the scope is of; NULL: no profile has it. Valid until something is added. */
struct share_function *share_table_find(const struct share_table *table, const struct symbol_scope *scope);

struct share_distances { /* total variation distances, 0 to 1; NAN without times or samples */
    double floor;        /* between the halves of the samples */
    double raw, compensated;
};
/* False: out of memory. */
bool share_table_distances(const struct share_table *table, struct share_distances *distances);

#endif
