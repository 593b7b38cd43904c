/* What the exit of a timed activation adds to its node: sums, and the distribution of times (struct pcomp_spread).
 *
 * An exit finds the counter of its bucket in the record that its node leads to. Where that does not cover the bucket,
 * or the time is among the longest of the node, the slow part gives the node a record that covers more. The records
 * before it stay: a process that is killed, or a handler that comes in between, miscounts nothing. The owning thread
 * only. */
#ifndef PCOMP_SPREADS_H
#define PCOMP_SPREADS_H

#include "compensation/cost/online_model.h"
#include "compensation/numeric/log_buckets.h"
#include "profiler/base/thread_state.h"

#define SPREAD_UNIT      64u
#define SPREAD_UNITS_MAX 32u /* of a record: all buckets */

enum spread_why { /* why the slow part is called */
                  SPREAD_LONGEST,
                  SPREAD_MISSED,  /* the record does not cover the bucket */
                  SPREAD_WRAPPED, /* it does: the counter was added to, and is 0 now */
                  SPREAD_FLUSHED  /* nothing was done, and when it began is not known: it is not among the longest */
};

/* The slow part, for an activation that began at tick `start`. Nothing was done: first spread_make_room. Uses general
 * registers alone. */
bool spread_record(struct thread_state *h, struct pcomp_node *node, uint64_t start, int64_t compensated,
                   enum spread_why why);

/* Gives the thread room for the largest record, or where there is no memory for it one record for all nodes that still
 * want one. Signals as they are; errno is kept. */
void spread_make_room(struct thread_state *h);

/* The process is ending, and its profile takes no more memory: the activation is in no bucket. */
void spread_give_up(const struct thread_state *h, struct pcomp_node *node, uint64_t start, int64_t compensated);

/* The same for the probes in assembler. SPREAD_LONGEST: of the top frame, which it takes off; the others of what was
 * pending there before. The first uses general registers alone; false: the second is to follow, on a stack of its own.
 * The third does both. */
bool spread_exit(struct thread_state *h, struct pcomp_node *node, int64_t compensated, enum spread_why why);
void spread_exit_room(struct thread_state *h, struct pcomp_node *node, int64_t compensated, enum spread_why why);
void spread_exit_hook(struct thread_state *h, struct pcomp_node *node, int64_t compensated, enum spread_why why);

/* Puts what is pending into its bucket. */
void spread_flush(struct thread_state *h, struct pcomp_frame_pending *pending);

static inline struct pcomp_spread *spread_at(const struct thread_state *h, uint32_t link)
{
    return (struct pcomp_spread *)(uintptr_t)(h->base + (uint64_t)link * SPREAD_UNIT);
}

static inline struct pcomp_spread *spread_of(const struct thread_state *h, const struct pcomp_node *node)
{
    return spread_at(h, node->spread);
}

/* In one step: a handler counts in between. False: it has wrapped. */
static inline bool spread_count(uint32_t *counter)
{
#ifdef __x86_64__
    bool wrapped;
    __asm__ volatile("incl %0" : "+m"(*counter), "=@ccz"(wrapped));
    return !wrapped;
#else
    return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED) != 0;
#endif
}

static inline void spread_add(struct thread_state *h, struct pcomp_node *node, uint64_t start, int64_t compensated)
{
    struct pcomp_spread *s = spread_of(h, node);
    uint32_t i = pcomp_bucket(compensated) - s->first;
    enum spread_why why = SPREAD_LONGEST;
    if (__builtin_expect(compensated <= node->top, 1)) {
        if (__builtin_expect(i < s->n && spread_count(&s->counts[i]), 1))
            return;
        why = i < s->n ? SPREAD_WRAPPED : SPREAD_MISSED;
    }
    if (!spread_record(h, node, start, compensated, why)) {
        spread_make_room(h);
        if (!spread_record(h, node, start, compensated, why))
            spread_give_up(h, node, start, compensated);
    }
}

/* The exit of the activation of a frame, at tick `now`. */
static inline void frame_account(struct thread_state *h, struct pcomp_frame *f, uint64_t now)
{
    struct pcomp_node *node = frame_node(f);
    INVARIANT(frame_is_timed(f));
    f->end = now;
    h->late_at = now + LATE_TICKS;
    uint64_t raw = now - f->start;
    node->raw += raw;
    node->calls++;
    int64_t compensated = pcomp_compensate_activation((int64_t)raw, h->overhead - f->overhead, h->own);
    h->overhead += h->descendant;
    node->compensated += compensated;
    if (__builtin_expect(compensated < node->min, 0))
        node->min = compensated;
    spread_add(h, node, f->start, compensated);
}

#endif
