/* Places in the source of addresses that samples hit: the line, and for inlined code the line of each call that was
 * inlined. The functions are those of a call tree. Not thread-safe. */
#ifndef PCOMP_SAMPLE_PLACES_H
#define PCOMP_SAMPLE_PLACES_H

#include "reporters/profile/profile_file.h"
#include "reporters/symbols/symbols.h"
#include "reporters/tree/call_tree.h"

#define PLACES_NONE UINT32_MAX

struct sample_place {
    uint32_t function; /* index in the tree; of a function that the profile does not know: PLACES_NONE */
    uint32_t inside;   /* such a function is inlined into this one of the tree; else PLACES_NONE */
    const char *name;  /* of such a function: linkage name; NULL unknown */
    const char *file;  /* NULL unknown */
    unsigned line;     /* 0 unknown */
    uint32_t index;    /* for line_table.h */
};

struct sample_places; /* of one profile file */

/* Looks all addresses up that the sampled stacks of the file have. The tree and the file must outlive it. NULL: out of
 * memory. */
struct sample_places *sample_places_new(const struct profile_file *file, const struct call_tree *tree);
void sample_places_free(struct sample_places *places);

/* The places of an address, innermost first; their texts live as long as the struct. Returns how many; 0 unknown. */
size_t sample_places_at(const struct sample_places *places, uint64_t pc, const struct sample_place **list);

/* All places, to be numbered. */
struct sample_place *sample_places_all(struct sample_places *places, size_t *count);

/* Modules without debug information that samples hit: the name of one, and how many. */
size_t sample_places_without_lines(const struct sample_places *places, const char **module);

#endif
