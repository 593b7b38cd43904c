/* The state of a measured thread, and what the fast path reads of it: the hooks of a repeated call that is timed, and
 * of an event of a trace.
 *
 * `struct thread_state` is private memory of its thread, in a page that is wiped in a forked child. The shadow stack
 * and the nodes lie in the profile file (profiler/format/profile_format.h). The hooks find the top frame at the address
 * of the struct + pos:
 *
 *      struct thread_state                      stack chunk in the profile file
 *      | no_frames (zeros) | pos ... |   ...    | frame 0 (root) | frame 1 | ... | top | next |
 *      ^---------------------------- pos -------------------------------------^
 *
 * pos = 0 points into `no_frames`, where no function ever matches. One comparison serves for "known path", "thread not
 * set up", "child of a fork" (the wiped page reads 0), "paused", "closed" and "not the fast configuration"; `recording`
 * has the reason.
 *
 * A frame keeps its function, node and stack address after its exit: a call of the same function from the same parent
 * activation and stack address is the repeated call. Code that gives a frame another identity clears the frame above.
 *
 * Where a trace is recorded, pos stays 0 and `budget` is practically infinite (elsewhere it is 0 or less, in an idle or
 * wiped struct as well). The hooks find nothing in `no_frames` and record an event at trace_cursor
 * (profiler/trace/trace_record.h). With --budget-trace they look for suppressed functions in the frames at saved_pos,
 * and count their calls (profiler/trace/trace_suppressed.h): there `node` of a frame counts its call, and `start` is
 * the node under which the paths of its callees are found. Without --budget-trace saved_pos is 0 as well.
 *
 * Signals: enter publishes the frame before it fills it. A hook nested in that window finds a top frame with
 * start <= end, an unfinished frame, and takes the slow path, which leaves that frame alone. Exit needs no guard: every
 * change is one instruction on memory, or on a node that a nested hook cannot reach, and nested hooks restore pos. */
#ifndef PCOMP_THREAD_STATE_H
#define PCOMP_THREAD_STATE_H

#include "profiler/base/frame_view.h"
#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_FRAMES_SIZE  384u  /* bytes of zeros for pos = 0, with room for hooks nested in that state */
#define PROBES_PER_POLL 5000  /* timed probes between two polls of levels: a tenth of a millisecond of overhead */
#define EXIT_SP_ABOVE   4096u /* an exit hook reached by a tail jump sees the stack at most this much higher */
#define EXIT_SP_BELOW   1024u /* one of an inlined function may see arguments that the compiler has not popped yet */
/* Ticks, an immediate operand of the probes: about 0.1 ms, 66 to 131 us at 4 to 2 GHz. */
#if defined(__x86_64__)
#define LATE_TICKS (1 << 18)
#else
#define LATE_TICKS (1 << 11)
#endif
#define NODE_GONE_BIT ((uint64_t)1 << 63) /* set in node.function when its module was unloaded */

struct shadow;
struct custom_timing;
struct trace_suppressed;
struct counts_owner;
struct pcomp_trace_header;
struct pcomp_trace_segment;
struct pcomp_event_long;

enum recording { /* what hooks do in the thread; pos is 0 in all states but the first */
                 RECORDING_FAST = 0,
                 RECORDING_CUSTOM, /* clock, counters, model or keys that the fast path does not serve */
                 RECORDING_TRACE,  /* events are recorded (profiler/trace/trace.h) */
                 RECORDING_PAUSED,
                 RECORDING_TOO_DEEP, /* below the depth limit */
                 RECORDING_CLOSED,   /* the profile was closed, or the thread could not be given memory */
};

#define TRACE_DEPTH_EPOCH (1u << 20) /* added to tracing.known when functions have fallen (trace_counts.h) */

/* profiler/trace/trace_span.h */
struct trace_span {
    struct pcomp_event_long *record; /* NULL: none */
    uint64_t begin, cursor;          /* tick; of trace_cursor */
    int64_t count;                   /* at its begin */
};

/* Of a thread that records a trace (profiler/trace/trace_segments.h). */
struct tracing {
    struct pcomp_trace_header *header;   /* mapped; NULL: there is no file */
    struct pcomp_trace_segment *segment; /* mapped; NULL: none yet */
    uint64_t limit; /* of trace_cursor, for what is not a function's enter or exit: there alpha is measured again */
    uint64_t end;   /* of trace_cursor: room for one more record behind it */
    uint64_t alpha_cursor, alpha_tick; /* cursor and tick when that was done last; 0: not yet */
    int64_t alpha;                     /* 1/1024 tick, measured lately; 0: not yet */
    uint32_t alphas;                   /* measurements in it */
    uint64_t offset;                   /* of the segment in the file */
    struct {
        void *address;
        uint64_t size;
    } left[3];        /* the last segments, still mapped: a hook that a handler interrupted may be writing there */
    uint64_t longs;   /* long records in the segment */
    uint64_t *lost;   /* second word of the LOST record that ended recording; NULL: it goes on, or there is no file */
    uint64_t token;   /* of the thread; 0 none */
    uint64_t end_at;  /* offset in the file of the place kept for its END; 0: none */
    uint64_t known;   /* depth << 32 | offset in the segment until which it counts; 0: nobody asked (trace_depth) */
    uint64_t written; /* bytes of records in the segments before */
    uint64_t operations; /* of messages, synchronisation, and others of libraries (trace_event_long) */
    struct {
        struct trace_span span;
        const struct counts_owner *own;  /* the thread's counters; NULL: calls are not counted in place */
        uint64_t known;                  /* functions that have fallen, as far as the trace says so */
        int64_t recorded, behind;        /* calls of these that were recorded; and of all that have fallen by now */
        uint64_t looked, looked_tick;    /* cursor at the last look, and when that was */
        uint64_t bytes, stride;          /* of records until then, and until the next one */
        bool sampled;                    /* since the last hook that came to C */
    } counted;                           /* profiler/trace/trace_counts.h */
    struct trace_suppressed *suppressed; /* functions that are not recorded; NULL: there is no --budget-trace */
    uint64_t external_end;               /* address of the last record by the C code, if it ends an external wait; */
    uint32_t external_what;              /* which one (enum pcomp_external) */
    uint64_t *filter;                    /* cache of decisions; NULL until needed */
    struct {                             /* profiler/trace_processor.h: the stretch between two waits */
        uint64_t record, before;         /* addresses of its record, 0: none, and of the one before */
        uint64_t tick, cpu_ns, voluntary, involuntary; /* at its beginning: clock, processor time, context switches */
        uint64_t ended, ran; /* record of the end of the last one, 0: none; ticks that it ran */
    } stretch;
    uint32_t location;          /* index of its file */
    uint32_t hooks_to_register; /* hooks until loaded libraries are registered */
    bool stopped;               /* nothing is recorded any more */
};

/* Of a thread whose rare functions are timed while all calls are counted: the last look at its processor time
 * (profiler/control/off_cpu.h). */
struct off_cpu {
    uint64_t tick;                   /* when it was; 0: this thread is not looked at */
    uint64_t wall_ns, cpu_ns;        /* CLOCK_MONOTONIC_RAW, and processor time of the thread */
    const struct pcomp_node *owner;  /* who had the time before it; NULL: not known */
    uint64_t left;                   /* ticks of late stretches of that owner since, not looked at */
    uint64_t voluntary, involuntary; /* context switches, when they were last read */
    uint64_t queued_ns;              /* wait in run queues, when it was last read, ... */
    uint64_t ready_ns;               /* ... and what was found to be such a wait since, without reading it */
    uint64_t took[3];                /* ticks that the last looks took, the newest first */
    uint64_t rests_until;            /* tick before which there is none */
    uint64_t hooks;                  /* ticks since the last look in hooks, which may have been off the processor */
    uint64_t reading, read_at;       /* ticks that the last reading of samples took, and when it ended */
};

/* A frame of a path that was new: filled, and unfinished until the hook leaves the thread's own stack. */
struct unstarted {
    struct pcomp_frame *frame;      /* NULL: none */
    struct pcomp_node_extra *extra; /* of its path, charged with what the hook takes; NULL: the model charges nobody */
    uint64_t begin;                 /* tick at the hook's start */
};

/* A frame on the fast path. */
struct timed_frame {
    struct pcomp_frame frame;
    struct pcomp_frame_pending pending;
};

struct thread_state {
    _Alignas(64) uint64_t no_frames[NO_FRAMES_SIZE / 8];
    uint64_t pos;         /* address of the top frame minus address of this struct; < NO_FRAMES_SIZE: not fast */
    int64_t overhead;     /* accumulated overhead of this thread, fixed-point ticks */
    int64_t own;          /* delta, REPEAT */
    int64_t descendant;   /* delta, REPEAT */
    int64_t lookup_extra; /* delta of descendant, LOOKUP minus REPEAT */
    uint64_t table;       /* path table: addresses of nodes (profiler/stack/paths.h) */
    uint64_t table_shift; /* 64 - log2 of its slots */
    uint64_t limit;       /* pos from which the stack must grow before another frame is entered */
    uint64_t low;         /* machine stack of the current shadow stack: [low, low + reach) */
    uint64_t reach;
    int64_t budget;         /* of a trace: events until a hook comes to C; BUDGET_HOOKS_SLOW */
    uint64_t counted;       /* of a trace: table of the functions that are counted, in pairs of entries as in `table` */
    uint64_t counted_shift; /* 64 - log2 of its entries */
    uint64_t base;          /* address of the profile file's mapping; entries of tables count 64-byte units from it */
    uint64_t saved_pos;     /* pos while it is not RECORDING_FAST */
    uint64_t trace_cursor;  /* address of the next record */
    uint64_t trace_limit;   /* while the cursor is below it, hooks record without ado */
    uint64_t
        poll_at; /* tick from which a timed probe looks at the levels (profiler/control/levels.h); UINT64_MAX: never */
    int64_t probes_left; /* timed probes until the next look at the levels, whatever the time */
    uint64_t
        late_at; /* last timed event + LATE_TICKS: tick from which the next one is late (profiler/control/off_cpu.h) */
    /* cold */
    struct tracing tracing;
    struct off_cpu off_cpu;
    struct thread_state *self; /* 0 in a wiped page: this is the child of a fork */
    struct shadow *shadow;
    struct shadow *shadows;
    struct pcomp_thread *thread;
    struct pcomp_node *root, *limit_node; /* limit_node: calls beyond the depth limit */
    struct pcomp_chunk *nodes;            /* chunk that new nodes are taken from */
    const struct pcomp_chunk *found;      /* chunk that path_extra found last */
    struct pcomp_chunk *spreads;          /* chunk that records of the distribution of times are taken from */
    uint32_t spread_rest; /* file offset / 64 of the one for nodes that memory is not used for; 0: none yet */
    uint64_t table_used;
    uint64_t slow_ticks; /* of `overhead`, what slow enters and exits took */
    uint32_t recording;  /* enum recording */
    uint32_t paused;     /* nesting of pcomp_pause */
    uint64_t pause_tick;
    uint64_t too_deep_calls;   /* calls below the depth limit that are open */
    uint32_t outer_recording;  /* state before RECORDING_TOO_DEEP */
    uint32_t paused_recording; /* state before RECORDING_PAUSED */
    uint32_t extra_size;       /* header.node_extra_size */
    bool fallen_left;          /* some that fell have callees that are timed, and go on for now */
    struct unstarted unstarted;
    uint64_t falls_seen;          /* how often levels had fallen when the frames were looked at */
    bool masked;                  /* signals are blocked around the slow hook that is under way */
    bool in_slow, closing;        /* a slow hook is under way; none may begin */
    uint32_t doubts;              /* looks in a row that found room for a handler's frame between open frames */
    uint32_t in_counters;         /* reading counters: a nested hook must not */
    struct thread_state *next;    /* all threads, or the free list */
    struct custom_timing *custom; /* profiler/record/custom_timing.h; NULL on the fast path */
    void *jumps;                  /* instrument/jumps.c */
};

/* Where all calls are counted by slots, a thread that is measured counts events down from here: so a hook that no slot
 * has counted goes the slow way. saved_pos is 0 then. */
#define BUDGET_HOOKS_SLOW (INT64_C(1) << 62)

/* Points to an idle struct of zeros until the thread has its own. */
extern __thread struct thread_state *current_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
#error "pcomp knows the clock of x86-64 and arm64 only"
#endif
}

/* Stack address of a hook: equal for enter and exit of one activation, lower for its callees. That of the hooks in
 * assembler is their rsp; functions in C find the same value from their frame. */
#if defined(__x86_64__)
#define HOOK_SP() ((uint64_t)(uintptr_t)__builtin_frame_address(0) + 8)
#elif defined(__clang__)
#define HOOK_SP() ((uint64_t)(uintptr_t)__builtin_frame_address(0))
#else /* the frame's address is its low end there, and hooks have frames of several sizes */
#define HOOK_SP() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#endif

/* The last destructors of the calling thread are under way: nothing will tell its end any more. */
extern __thread bool thread_is_over __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The calling thread is not measured any more, or there was no memory for it. */
static inline bool thread_is_closed(void)
{
    const struct thread_state *h = current_thread;
    return h->self == h ? h->recording == RECORDING_CLOSED : thread_is_over;
}

/* Publishes a frame above the top one. Returns `*pos` of before. In one step: before it, the handler of a signal may
 * make the stack grow, which moves the frames; behind it, none does. */
static inline uint64_t thread_publish(uint64_t *pos, uint64_t size)
{
#ifdef __x86_64__
    __asm__ volatile("addq %1, %0" : "+m"(*pos) : "r"(size) : "cc", "memory");
    return *(volatile uint64_t *)pos - size;
#else
    return __atomic_fetch_add(pos, size, __ATOMIC_RELAXED);
#endif
}

static inline struct pcomp_frame *thread_frame(const struct thread_state *h, uint64_t pos)
{
    return (struct pcomp_frame *)((uintptr_t)h + pos);
}

/* On the fast path. */
static inline struct pcomp_frame *timed_above(struct pcomp_frame *f)
{
    return &((struct timed_frame *)f + 1)->frame;
}

/* pos before the hook published its frame; 0: the thread is not fast. A handler may have moved the frames since the
 * hook began, but with what is published. */
static inline uint64_t thread_pos_below(const struct thread_state *h)
{
    uint64_t pos = __atomic_load_n(&h->pos, __ATOMIC_RELAXED);
    return pos < NO_FRAMES_SIZE ? 0 : pos - sizeof(struct timed_frame);
}

/* Takes back what thread_publish did to h->pos, unless the end of the process has set it to 0 meanwhile. */
static inline void thread_unpublish(struct thread_state *h)
{
    uint64_t pos = __atomic_load_n(&h->pos, __ATOMIC_RELAXED);
    while (pos >= NO_FRAMES_SIZE && !__atomic_compare_exchange_n(&h->pos, &pos, pos - sizeof(struct timed_frame), false,
                                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Begins the activation of a frame that is filled, at tick `now`. The counter of arm64 may stand still since the last
 * activation there ended, and a frame with start <= end is unfinished. */
static inline void frame_start(struct pcomp_frame *f, uint64_t now)
{
#if !defined(__x86_64__)
    f->end = now - 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* unfinished until its start is there */
#endif
    f->start = now;
}

/* What slow enters and exits took is overhead of all activations that are open, and lies in the ancestors of a path. */
static inline void thread_charge_slow(struct thread_state *h, struct pcomp_node_extra *extra, uint64_t ticks)
{
    extra->slow_ticks += ticks;
    h->slow_ticks += ticks;
    h->overhead += (int64_t)(ticks << PCOMP_FIX_SHIFT);
}

/* Starts a frame at tick `now`. What its hook took until then is overhead in the ancestors, and `more` ticks that it is
 * going to take in the activation. */
static inline void frame_start_slow(struct thread_state *h, const struct unstarted *u, uint64_t now, uint64_t more)
{
    if (u->extra)
        thread_charge_slow(h, u->extra, now - u->begin + more);
    u->frame->overhead = h->overhead;
    frame_start(u->frame, now);
    h->late_at = now + LATE_TICKS;
}

#endif
