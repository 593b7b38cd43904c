/* The places that a search can look at: modules, functions and call paths, under the same number in all processes and
 * threads. A function is known by its short name and its module, a call path by the functions on it.
 *
 * Numbers begin with 0 and are given as places are met. Path 0 is the outermost, of no function. Not thread-safe. */
#ifndef PCOMP_PLACES_H
#define PCOMP_PLACES_H

#include "reporters/consult/live_profile.h"
#include "reporters/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_NONE UINT32_MAX
#define PATH_ROOT  0u

struct place {
    char *name;      /* of functions and modules */
    uint32_t parent; /* of a path: the path it continues */
    uint32_t of;     /* of a path: its function; of a function: its module */
    uint32_t seen;   /* samples in which it was met */
    uint32_t kinds;  /* bits: in what states it was met; the caller's */
};

struct place_list {
    struct place *list;
    size_t count, room;
    uint32_t *slots; /* hash table of numbers */
    size_t slot_count;
};

struct place_symbols {
    char *path;
    struct symbols *symbols; /* NULL: none */
};

struct places {
    struct place_list modules, functions, paths;
    struct place_symbols *opened;
    size_t opened_count, opened_room;
};

/* What is known of one process's addresses. */
struct place_cache {
    uint32_t *functions; /* by function id of its profile: number + 1 */
    size_t function_room;
    struct place_site {
        uint64_t address;
        uint32_t function;
    } * sites; /* hash table */
    size_t site_count, site_room;
};

bool places_open(struct places *places);
void places_close(struct places *places);
void place_cache_free(struct place_cache *cache);

/* Number of the call path of the node that `link` leads to; PLACE_NONE: not to be told. */
uint32_t places_path(struct places *places, struct place_cache *cache, struct live_profile *profile, uint64_t link);

/* Number of the function with the id in `profile`, and of the one that the instruction at `address` belongs to. */
uint32_t places_function(struct places *places, struct place_cache *cache, struct live_profile *profile, uint32_t id);
uint32_t places_site(struct places *places, struct place_cache *cache, struct live_profile *profile, uint64_t address);

/* "main > run > step", the innermost last, to be freed; NULL: no memory. */
char *places_path_text(const struct places *places, uint32_t path);

#endif
