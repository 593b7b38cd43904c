/* Foci of a search: modules, functions, call paths, and objects that are
 * waited for, numbered alike in all processes and threads. Name and module
 * identify a function, its functions a call path, its text an object.
 *
 * Numbers begin with 0 and are given in order of the first sample. Path 0 is the outermost, of no function. Not
 * thread-safe. */
#ifndef PCOMP_FOCI_H
#define PCOMP_FOCI_H

#include "reporters/consult/live_profile.h"
#include "reporters/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOCUS_NONE UINT32_MAX
#define PATH_ROOT  0u

struct focus {
    char *name;      /* of functions and modules */
    uint32_t parent; /* of a path: the path it continues */
    uint32_t of;     /* of a path: its function; of a function: its module */
    uint32_t seen;   /* samples that have it */
    uint32_t kinds;  /* bits of the states in which samples had it; the caller's */
};

struct focus_list {
    struct focus *list;
    size_t count, room;
    uint32_t *slots; /* hash table of numbers */
    size_t slot_count;
};

struct focus_symbols {
    char *path;
    struct symbols *symbols; /* NULL: none */
};

struct foci {
    struct focus_list modules, functions, paths, objects;
    struct focus_symbols *opened;
    size_t opened_count, opened_room;
};

/* What is known of one process's addresses. */
struct focus_cache {
    uint32_t *functions; /* by function id of its profile: number + 1 */
    size_t function_room;
    struct focus_site {
        uint64_t address;
        uint32_t function;
    } * sites; /* hash table */
    size_t site_count, site_room;
    struct focus_object { /* of one kind */
        uint64_t address;
        uint32_t kind, object;
    } * objects;
    size_t object_count, object_room;
};

bool foci_open(struct foci *foci);
void foci_close(struct foci *foci);
void focus_cache_free(struct focus_cache *cache);

/* Number of the call path of the node that `link` leads to; FOCUS_NONE: not known. */
uint32_t foci_path(struct foci *foci, struct focus_cache *cache, struct live_profile *profile, uint64_t link);

/* Number of the function with the id in `profile`, and of the one that the instruction at `address` belongs to. */
uint32_t foci_function(struct foci *foci, struct focus_cache *cache, struct live_profile *profile, uint32_t id);
uint32_t foci_site(struct foci *foci, struct focus_cache *cache, struct live_profile *profile, uint64_t address);

/* Number of what is waited for: the lock, condition, barrier or semaphore at an address, or a peer (waiting and
 * waiting_object of struct pcomp_thread). */
uint32_t foci_object(struct foci *foci, struct focus_cache *cache, struct live_profile *profile,
                     const struct live_word *word);

/* "main > run > step", the innermost last, to be freed; NULL: no memory. */
char *foci_path_text(const struct foci *foci, uint32_t path);

#endif
