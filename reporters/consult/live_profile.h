/* The profile of a running process, read piece by piece while it is written: what its threads wait for, where they are,
 * how often its call paths were called. Reading disturbs the process as little as another reader of its memory does.
 *
 * Everything is read with pread, so that a file that is cut or damaged gives nothing instead of a signal; every offset
 * is checked. What changes under the reader is recognised by what must hold: a frame's node has the node of the frame
 * below as its parent. Not thread-safe. */
#ifndef PCOMP_LIVE_PROFILE_H
#define PCOMP_LIVE_PROFILE_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_chunk {
    uint64_t offset, size;
    uint32_t kind, owner, capacity, count;
};

struct live_thread {
    int tid;
    uint64_t record;          /* offset of its struct pcomp_thread */
    uint64_t stack;           /* offset of the chunk of its own stack; 0 none */
    uint32_t index, capacity; /* of that chunk */
    uint32_t generation;
};

struct live_node { /* what is known of a call path of one thread */
    uint64_t link; /* 0: free slot */
    uint64_t parent;
    uint64_t calls; /* when last looked at */
    uint32_t function_id;
    uint32_t path; /* the caller's; UINT32_MAX at first */
};

struct live_profile {
    int fd;
    char *path;
    struct pcomp_header header;
    struct live_chunk *chunks; /* in file order */
    size_t chunk_count, chunk_room;
    struct live_thread *threads; /* that have not ended */
    size_t thread_count, thread_room;
    struct live_node *nodes; /* hash table by link */
    size_t node_count, node_room;
    uint64_t *counted; /* by function: calls counted in place when last looked at */
    uint32_t counted_room;
    bool stale; /* something was not where it was: refresh */
};

/* What a thread says of itself. */
struct live_word {
    uint64_t waiting, site, object; /* as in struct pcomp_thread */
};

/* NULL: not (yet) a profile. */
struct live_profile *live_profile_open(const char *path);
void live_profile_close(struct live_profile *profile);

/* Looks again which chunks and threads there are. False: the process has closed its profile. */
bool live_profile_refresh(struct live_profile *profile);

/* False: the process has ended, or is about to: what it does from now on is the measurement's. */
bool live_profile_runs(struct live_profile *profile);

const struct live_thread *live_profile_thread(const struct live_profile *profile, int tid);

/* False: cannot be read. */
bool live_profile_word(struct live_profile *profile, const struct live_thread *thread, struct live_word *word);

/* The node of the innermost open activation of the thread's own stack; 0: none, or not to be told just now. */
uint64_t live_profile_top(struct live_profile *profile, const struct live_thread *thread);

/* The node of a link; NULL: there is none, or no memory. Valid until the next call. */
struct live_node *live_profile_node(struct live_profile *profile, uint64_t link);

/* Calls `function` for each node that was called since the last time, with how often. */
void live_profile_called(struct live_profile *profile,
                         void (*function)(void *context, struct live_node *node, uint64_t calls), void *context);

/* The same for each function of which calls were counted in place, timed ones among them. */
void live_profile_counted(struct live_profile *profile,
                          void (*function)(void *context, uint32_t function_id, uint64_t calls), void *context);

/* Records of functions and modules, by id. False: there is none. */
bool live_profile_function(struct live_profile *profile, uint32_t id, struct pcomp_function *function);
bool live_profile_module(struct live_profile *profile, uint32_t id, struct pcomp_module *module);

/* The id of the module that `address` lies in; UINT32_MAX none. */
uint32_t live_profile_module_at(struct live_profile *profile, uint64_t address, struct pcomp_module *module);

/* Text at a link, cut to fit; "" where there is none. */
void live_profile_text(struct live_profile *profile, uint64_t link, char *text, size_t size);

#endif
