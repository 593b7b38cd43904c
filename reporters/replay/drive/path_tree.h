/* The call paths of one location, with their measured and their approximated times: built from the two traces as they
 * pass, a block at a time. What intervals of the measurement's own (flushes) took is in neither.
 *
 * Activations that have no exit (a jump, a killed process) end with the activation that outlives them, or with the last
 * event. Not thread-safe on one tree. */
#ifndef PCOMP_PATH_TREE_H
#define PCOMP_PATH_TREE_H

#include "compensation/replay/replay.h"
#include "reporters/trace/files/trace_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The latter counts calls of paths for which there was no room; its times mean nothing. */
enum { PATH_ROOT = 0, PATH_BEYOND = 1 };
#define PATH_NONE UINT32_MAX

struct path_node {
    uint64_t function; /* as in the ENTER event */
    uint32_t parent;
    uint32_t last_child; /* that was entered; PATH_ROOT none yet */
    uint64_t calls;
    uint64_t measured;    /* ticks, inclusive */
    int64_t approximated; /* ticks, inclusive */
    int64_t min, max;     /* approximated, of one activation */
    uint32_t waits;       /* index of the first of its waits; PATH_NONE */
};

struct path_wait { /* the waits of one kind in one path */
    uint32_t node, next;
    enum replay_wait_kind kind;
    uint64_t count;
    int64_t measured, approximated; /* fixed-point ticks */
};

struct path_suppressed { /* calls of a function that were not recorded (--budget-trace) */
    uint64_t function, calls;
};

struct path_frame {
    uint64_t measured, approximated; /* when it was entered */
    uint32_t node;
};

struct path_tree {
    struct trace_stack stack;
    struct path_frame *frames; /* of the stack, one above: [0] is the root's */
    uint32_t frame_room;
    struct path_node *nodes; /* [0] root, [1] beyond; a node comes after its parent */
    uint32_t node_count, node_room;
    uint32_t *index; /* hash of (parent, function): node, 0 free */
    uint32_t index_mask;
    struct path_wait *waits;
    uint32_t wait_count, wait_room;
    struct path_suppressed *suppressed;
    uint32_t suppressed_count, suppressed_room;
    uint64_t event;             /* number of the next record */
    uint32_t own_depth;         /* of own work inside own work */
    uint64_t unwound;           /* activations that jumps left */
    uint64_t own, own_begin;    /* measured ticks of the measurement's own work so far; where the present one began */
    uint64_t first, last;       /* measured ticks of the first and last record, own work taken off */
    uint64_t last_approximated; /* ticks */
    bool has_messages;          /* point to point or collective */
};

/* False: out of memory. A tree that is all zero can be freed. */
bool path_tree_init(struct path_tree *tree);
void path_tree_free(struct path_tree *tree);

/* Follows the records of a block: `size` bytes, the same records with measured and with approximated times. `waits`, in
 * the order of their events, ended in it. False: out of memory. */
bool path_tree_follow(struct path_tree *tree, const void *measured, const void *approximated, size_t size,
                      const struct replay_wait *waits, size_t wait_count);

/* Ends what is still active with the last event. */
void path_tree_end(struct path_tree *tree);

#endif
