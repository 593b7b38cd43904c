/* How the time of a program is spread over its functions, three ways: by samples of the uninstrumented program, and by
 * the raw and the compensated exclusive times of profiles. Not thread-safe. */
#ifndef PCOMP_SHARE_TABLE_H
#define PCOMP_SHARE_TABLE_H

#include "reporters/call_tree.h"
#include "reporters/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARE_HALVES = 2 }; /* of the samples: how far they differ says how far the truth can be trusted */

struct share_function {
    char *name;                   /* demangled, without the suffixes of clones */
    char *file;                   /* last part of the path of its source; NULL unknown */
    char *place;                  /* "file:line"; NULL unknown */
    uint64_t truth[SHARE_HALVES]; /* samples */
    double raw, compensated;      /* ns, exclusive */
};

struct share_table {
    struct share_function **functions;
    size_t count, room;
    void *by_name, *by_place; /* trees of tsearch */
};

/* Adds the exclusive times of the functions of a profile. False: out of memory. */
bool share_table_add(struct share_table *table, const struct call_tree *tree);
void share_table_free(struct share_table *table);

/* The function that the scope is of: by its name (and file, where both are known), or else by the place of its
 * definition, since debug information gives some inlined functions of C++ no linkage name. NULL: no profile has it. */
struct share_function *share_table_find(const struct share_table *table, const struct symbol_scope *scope);

struct share_distances { /* total variation distances, 0 to 1; NAN without times or samples */
    double floor;        /* between the halves of the samples */
    double raw, compensated;
};
/* False: out of memory. */
bool share_table_distances(const struct share_table *table, struct share_distances *distances);

#endif
