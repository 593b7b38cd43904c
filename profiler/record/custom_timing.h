/* Custom timing: measurement with a clock, counters, a model or node keys that the fast path does not serve. No
 * lock, no allocation and no system call on a repeated call (but for reading counters), O(1) like the fast path. */
#ifndef PCOMP_CUSTOM_TIMING_H
#define PCOMP_CUSTOM_TIMING_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* A frame of custom timing; header.frame_size covers it. */
struct custom_frame {
    struct pcomp_frame frame;
    uint64_t link;      /* struct custom_link of the path */
    uint64_t child_raw; /* inclusive of direct children, for folded recursion */
    int64_t child_compensated;
    uint64_t events;    /* calls of the thread at enter: their difference is M */
    int64_t counters[]; /* at enter; behind them, what measuring had added to each by then, 1/1024 count */
};

/* How a call (function, call site) from a node leads to a node. Under folded recursion to one of its ancestors. */
struct custom_link {
    uint64_t parent, function, site;
    struct pcomp_node *node;
    struct pcomp_node_extra *extra;
    uint64_t *open; /* activations of the node that are open now, on the heap of the thread */
};

struct custom_timing; /* of one thread */

/* Sets the sizes of frames and extras from the configuration; once a session, before any thread. */
void custom_configure(void);

/* False: no memory, or the counters cannot be started. */
bool custom_begin(struct thread_state *h);
void custom_end(struct thread_state *h);

/* NULL: not registered yet. */
struct custom_link *custom_find(const struct thread_state *h, uint64_t parent, uint64_t function, uint64_t site);

/* Adds the link, creating the node unless recursion folds it into an ancestor of `parent`. NULL: no room. Signals
 * blocked. */
struct custom_link *custom_add(struct thread_state *h, struct pcomp_node *parent, uint64_t function, uint64_t site,
                               uint32_t function_id, bool skipped, const struct pcomp_frame *caller, uint64_t sp);

/* Fills the frame above the top, whose identity is set, and reads counters and clock last. */
void custom_fill(struct thread_state *h, struct pcomp_frame *f, struct custom_link *link);

/* A slow enter: the first is called where it begins, the other, in place of custom_fill, where it ends. What lies
 * between is charged to the ancestors. `begin`: tick. */
void custom_slow_begin(struct thread_state *h);
void custom_fill_slow(struct thread_state *h, struct pcomp_frame *f, struct custom_link *link, uint64_t begin);

/* A call of a function that is filtered out has ended: charges it to the counters of the ancestors. */
void custom_leave_skipped(struct thread_state *h);

/* Reads the thread's counters. */
void custom_read_counters(struct thread_state *h, int64_t *values);

/* The counters' sums of a path; header.counter_count of them. */
struct pcomp_node_counter *custom_node_counters(struct pcomp_node_extra *extra);

/* Accounts the activation of frame `f`, which ended at tick `now`. */
void custom_account(struct thread_state *h, struct pcomp_frame *f, uint64_t now);

#endif
