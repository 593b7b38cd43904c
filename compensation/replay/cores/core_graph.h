/* The dependences between the events of a replay, kept as a graph: core_schedule.h schedules the same program on a
 * given number of processors. A node is a dependent event, or a join: the later of two others. Nodes are in the order
 * of their commits: a cause has a smaller number than its effect.
 *
 *   WORK  t = t(before) + own + idle
 *   WAIT  t = max(t(before) + own + idle, t(cause)) + delay       an event that ended a wait
 *   PASS  t = max(t(before) + own + idle, t(cause) + delay)       an event that found its cause there
 *
 * `before` is the node before it in its location. `own` needs a processor, `idle` and a delay after waiting do not.
 * Who has a mutex next is not taken from the measured execution, unless it is used in other ways too (CORE_IN_ORDER).
 * Times are fixed-point ticks. 64 bytes a node. Not thread-safe. */
#ifndef PCOMP_CORE_GRAPH_H
#define PCOMP_CORE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define CORE_NONE UINT32_MAX

enum core_kind {
    CORE_BEGIN,
    /* of a location, no event: idle until then */ CORE_WORK,
    CORE_WAIT,
    CORE_PASS,
    CORE_JOIN
};

enum core_use { CORE_ACQUIRES = 1, CORE_RELEASES, CORE_IN_ORDER /* of this lock, the measured order is kept */ };

struct core_node {
    uint32_t kind;     /* enum core_kind */
    uint32_t lock;     /* of an event: 4 * number of the lock + enum core_use; 0: none */
    uint32_t location; /* of a join: the first of two nodes */
    uint32_t cause;    /* CORE_NONE: none; of a join: the other node */
    uint32_t waiter;   /* of core_schedule.c: first location that waits for it, + 1; 0 none */
    int64_t own, idle, delay;
    int64_t cost; /* of a WAIT: what waiting takes of a processor, before it does; it lies in no time */
    int64_t time; /* of core_schedule.c: when it happens; INT64_MIN: it has not */
};

struct core_graph { /* all zero: empty; free with core_graph_free */
    struct core_node *nodes;
    uint32_t count, room;
    int64_t measured; /* when the last event was measured */
};

/* The number of the new node; CORE_NONE: no memory. */
uint32_t core_graph_add(struct core_graph *graph, const struct core_node *node);

/* The later of two nodes, either of which may be CORE_NONE; CORE_NONE: neither, or no memory. */
uint32_t core_graph_join(struct core_graph *graph, uint32_t one, uint32_t other);

void core_graph_free(struct core_graph *graph);

#endif
