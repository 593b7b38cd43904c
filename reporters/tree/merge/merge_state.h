/* What merging one profile file needs to know of it. Internal to merge_profile.c and merge_functions.c. */
#ifndef PCOMP_MERGE_STATE_H
#define PCOMP_MERGE_STATE_H

#include "reporters/tree/build/tree_builder.h"

/* Where a node of the file went; the special values of `merged` lie above every index. */
enum { PLACE_NONE = -1, PLACE_BUSY = -2, PLACE_LOST = -3, PLACE_OUT = -4 };
#define PLACED_MAX 0xfffffff0u

struct place {
    uint32_t merged; /* node of the tree, or one of the above */
    uint32_t thread; /* in tree->threads */
};

#define SITES 4096u

struct merge {
    struct tree_builder *b;
    struct profile_file *file;
    bool running;
    double tick_ns, fixed_ns; /* ns of a tick, of 1/1024 tick */
    double slow_ns;           /* ns charged for a tick of slow enter */
    double price_error;       /* of the deltas: relative standard error, where samples priced the probes */
    struct pcomp_parts charge[PCOMP_VARIANTS], spread[PCOMP_VARIANTS]; /* ns a call; systematic error of it */
    struct pcomp_parts variance[PCOMP_VARIANTS];                       /* ns^2 a call */
    uint32_t *function_of;                                             /* by id in the file: index in b->functions */
    bool append; /* so far all nodes were of append_thread, and differ */
    uint32_t append_thread;
    bool *inexact; /* by thread of the tree: its calls may be misattributed */
    struct place *places;
    struct {
        uint64_t address;
        uint32_t site;
    } * sites; /* direct-mapped cache */
    char *error;
    size_t error_size;
};

/* Fills function_of and append. False: out of memory. */
bool merge_functions(struct merge *m);

/* Index of a call site in the function table; UINT32_MAX: out of memory. */
uint32_t merge_site(struct merge *m, uint64_t address);

/* Reads the addresses of uninstrumented frames, "0x.. 0x..", and notes them for a node. False: out of memory. */
bool merge_native_frames(struct merge *m, uint32_t merged, const char *text);

#endif
