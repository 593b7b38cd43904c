#include "profiler/trace/trace_suppressed.h"

#include "profiler/base/own_stack.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"
#include "profiler/trace/trace_span.h"

#include <stddef.h>
#include <sys/mman.h>

#define FRAMES      16384u
#define TABLE_FIRST 54 /* shift: 1024 entries */
#define TABLE_LAST  49 /* each table lies behind the one half as large, which an interrupted hook may still read */
#define MARKED      UINT64_MAX /* sp of a frame whose function was released: the true one is its overhead */
#define SIZE                                                                                                           \
    (sizeof(struct trace_suppressed) + FRAMES * sizeof(struct pcomp_frame) + (sizeof(uint32_t) << (65 - TABLE_LAST)))

static uint32_t *table_of(struct trace_suppressed *t, uint64_t shift)
{
    uint64_t before = (UINT64_C(1) << (64 - shift)) - (UINT64_C(1) << (64 - TABLE_FIRST));
    return (uint32_t *)(t->frames + FRAMES) + before;
}

bool trace_suppressed_begin(struct thread_state *h)
{
    struct trace_suppressed *t =
        mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == MAP_FAILED)
        return false;
    t->frames[0] = (struct pcomp_frame){.function = FRAME_ROOT,
                                        .node = (uint64_t)(uintptr_t)&t->root,
                                        .sp = UINT64_MAX,
                                        .start = (uint64_t)(uintptr_t)&t->root};
    h->base = (uint64_t)(uintptr_t)t;
    h->counted = (uint64_t)(uintptr_t)table_of(t, TABLE_FIRST);
    h->counted_shift = TABLE_FIRST;
    h->low = 0;
    h->limit = (uint64_t)(uintptr_t)(t->frames + FRAMES - 2) - (uint64_t)(uintptr_t)h;
    h->tracing.suppressed = t;
    t->armed = h->budget;
    t->stack = own_stack_program();
    h->saved_pos = (uint64_t)(uintptr_t)t->frames - (uint64_t)(uintptr_t)h;
    return true;
}

void trace_suppressed_end(struct thread_state *h)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    h->saved_pos = h->counted = 0;
    h->tracing.suppressed = NULL;
    if (t)
        munmap(t, SIZE);
}

/* --- nodes ---------------------------------------------------------------------------------------------------------
 */

static uint64_t root_of(const struct trace_suppressed *t)
{
    return (uint64_t)(uintptr_t)&t->root;
}

static struct pcomp_node *node_of(const struct thread_state *h, uint64_t function)
{
    uint64_t shift = h->counted_shift, root = root_of(h->tracing.suppressed);
    const uint32_t *table = (const uint32_t *)(uintptr_t)h->counted;
    uint64_t slot = path_slot(root, function, shift);
    for (uint64_t i = 0; i < 2; i++) {
        struct pcomp_node *node = path_node(h, table[slot ^ i]);
        if (node->function == (function | FRAME_SKIP_BIT) && node->parent == root)
            return node;
    }
    return NULL;
}

/* False: both entries of the pair are taken. The hooks look into the other one first. */
static bool put_node(struct thread_state *h, uint32_t *table, uint64_t shift, const struct pcomp_node *node)
{
    uint64_t slot = path_slot(node->parent, node->function & ~FRAME_SKIP_BIT, shift) ^ 1;
    slot ^= table[slot] != 0;
    if (table[slot])
        return false;
    table[slot] = (uint32_t)(((uint64_t)(uintptr_t)node - h->base) >> 6);
    return true;
}

/* Larger tables, until every suppressed function has an entry. */
static bool grow(struct thread_state *h)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    for (uint64_t shift = h->counted_shift - 1; shift >= TABLE_LAST; shift--) {
        uint32_t *table = table_of(t, shift);
        bool all = true;
        for (uint32_t i = 0; i < t->count; i++)
            all = all && (!t->functions[i].suppressed || put_node(h, table, shift, &t->nodes[i]));
        if (!all)
            continue;
        h->counted = (uint64_t)(uintptr_t)table;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* as in profiler/stack/paths.h */
        h->counted_shift = shift;
        return true;
    }
    return false;
}

static uint32_t index_of(const struct trace_suppressed *t, uint64_t function)
{
    uint32_t i = 0;
    while (i < t->count && t->nodes[i].function != (function | FRAME_SKIP_BIT))
        i++;
    return i;
}

/* Outside the thread's own stack nothing is suppressed: activations of two stacks do not end in one order. */
static void register_stack(struct thread_state *h)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    if (!t->stack)
        return;
    bool grows = h->thread && h->thread->flags & PCOMP_THREAD_MAIN;
    shadow_find_stack(t->stack, grows, &h->low, &t->frames[0].sp);
    t->stack = 0;
}

bool trace_suppressed_add(struct thread_state *h, uint64_t function, uint64_t now)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    uint32_t i = index_of(t, function);
    if (i == SUPPRESSED_NODES || (i < t->count && t->functions[i].suppressed))
        return i < SUPPRESSED_NODES;
    register_stack(h);
    if (i == t->count) {
        t->nodes[i].function = function | FRAME_SKIP_BIT;
        t->nodes[i].parent = root_of(t);
        t->count++;
    }
    t->functions[i].suppressed = true;
    t->functions[i].since = now;
    if (!put_node(h, (uint32_t *)(uintptr_t)h->counted, h->counted_shift, &t->nodes[i]) && !grow(h)) {
        t->functions[i].suppressed = false;
        return false;
    }
    t->suppressed++;
    return true;
}

void trace_suppressed_remove(struct thread_state *h, uint64_t function)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    uint32_t i = index_of(t, function);
    if (i == t->count || !t->functions[i].suppressed)
        return;
    uint32_t *table = (uint32_t *)(uintptr_t)h->counted;
    uint64_t slot = path_slot(root_of(t), function, h->counted_shift);
    for (uint64_t k = 0; k < 2; k++)
        if (path_node(h, table[slot ^ k]) == &t->nodes[i])
            table[slot ^ k] = 0;
    t->functions[i].suppressed = false;
    t->suppressed--;
    for (struct pcomp_frame *f = thread_frame(h, h->saved_pos); f > t->frames; f--)
        if (f->function == function && f->start && f->sp != MARKED) {
            f->overhead = (int64_t)f->sp;
            f->sp = MARKED;
        }
}

uint64_t trace_suppressed_open(const struct thread_state *h, uint32_t i)
{
    const struct trace_suppressed *t = h->tracing.suppressed;
    uint64_t open = 0;
    for (const struct pcomp_frame *f = thread_frame(h, h->saved_pos); f > t->frames; f--)
        open += f->node == (uint64_t)(uintptr_t)&t->nodes[i] && f->start;
    return open;
}

/* --- hooks that came to C ------------------------------------------------------------------------------------------
 */

static uint64_t sp_of(const struct pcomp_frame *f)
{
    return f->sp == MARKED ? (uint64_t)f->overhead : f->sp;
}

/* The activation on top has ended; as the hooks do it. */
static void leave(struct thread_state *h)
{
    struct pcomp_frame *f = thread_frame(h, h->saved_pos);
    (frame_node(f))->calls++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    h->saved_pos -= sizeof(*f);
}

/* NULL: a handler came in the middle of an enter, or the thread suppresses nothing at present. */
static struct pcomp_frame *top_of(struct thread_state *h)
{
    struct pcomp_frame *top = thread_frame(h, h->saved_pos);
    return h->saved_pos && top->start ? top : NULL;
}

bool trace_suppressed_enter(struct thread_state *h, uint64_t function, uint64_t sp)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    struct pcomp_frame *top = top_of(h);
    while (top && top > t->frames && sp_of(top) < sp && sp <= t->frames[0].sp) { /* a jump left it */
        leave(h);
        top = top_of(h);
    }
    if (!top || top->sp < sp || h->low > sp || h->limit <= h->saved_pos)
        return false;
    struct pcomp_node *node = node_of(h, function);
    if (!node)
        return false;
    h->saved_pos += sizeof(*top);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* published before it is filled */
    struct pcomp_frame *f = thread_frame(h, h->saved_pos);
    f->function = function;
    frame_set_node(f, node);
    f->sp = sp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->start = root_of(t);
    return true;
}

/* A marked frame is not that of a later activation, which is recorded, however near. */
static bool is_exit_of(const struct pcomp_frame *f, uint64_t function, uint64_t sp)
{
    uint64_t below = f->sp == MARKED ? 0 : EXIT_SP_BELOW;
    return f->function == function && sp + below - sp_of(f) <= below + EXIT_SP_ABOVE;
}

/* alloca lowers the stack after the enter. Where all activations of the top's function are suppressed, the top is the
 * last. */
static bool is_exit_of_top(const struct thread_state *h, const struct pcomp_frame *top, uint64_t function, uint64_t sp)
{
    return top->function == function && top->sp != MARKED && top->sp > sp && sp >= h->low && h->saved_pos < h->limit;
}

bool trace_suppressed_exit(struct thread_state *h, uint64_t function, uint64_t sp)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    struct pcomp_frame *top = top_of(h), *f = top;
    if (!top)
        return false;
    while (f > t->frames && !is_exit_of(f, function, sp) && sp_of(f) <= sp + EXIT_SP_BELOW)
        f--;
    if (f > t->frames && !is_exit_of(f, function, sp))
        f = is_exit_of_top(h, top, function, sp) ? top : t->frames;
    if (f == t->frames)
        return false;
    while (thread_frame(h, h->saved_pos) > f) /* jumps left those above */
        leave(h);
    leave(h);
    return true;
}

void trace_suppressed_poll_after(struct thread_state *h, int64_t events)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    __atomic_store_n(&t->arming, true, __ATOMIC_SEQ_CST);
    int64_t left = __atomic_exchange_n(&h->budget, events, __ATOMIC_SEQ_CST); /* a handler may do so at any time */
    __atomic_add_fetch(&t->armed, events - left, __ATOMIC_SEQ_CST);
    __atomic_store_n(&t->arming, false, __ATOMIC_SEQ_CST);
}

void trace_suppressed_interrupt(struct thread_state *h)
{
    if (h->tracing.suppressed)
        trace_suppressed_poll_after(h, 0);
}

void trace_suppressed_pause(struct thread_state *h)
{
    if (!h->tracing.suppressed)
        return;
    h->tracing.suppressed->paused_pos = h->saved_pos;
    h->saved_pos = 0;
}

void trace_suppressed_resume(struct thread_state *h)
{
    if (h->tracing.suppressed)
        h->saved_pos = h->tracing.suppressed->paused_pos;
}

/* --- spans ---------------------------------------------------------------------------------------------------------
 */

/* Events of hooks that were not recorded, up to `cursor`, but for a constant: what was recorded since the last event of
 * another kind is theirs. A handler may change both counters in between. */
static int64_t unrecorded(const struct trace_suppressed *t, const struct thread_state *h, uint64_t cursor)
{
    int64_t armed, hooks;
    do {
        armed = __atomic_load_n(&t->armed, __ATOMIC_SEQ_CST);
        hooks = armed - __atomic_load_n(&h->budget, __ATOMIC_SEQ_CST);
    } while (armed != __atomic_load_n(&t->armed, __ATOMIC_SEQ_CST));
    return hooks - (int64_t)(cursor / sizeof(struct pcomp_event));
}

/* In a handler that interrupted trace_suppressed_poll_after the count is not known: the span goes on. */
void trace_suppressed_span_update(struct thread_state *h, uint64_t now, uint64_t cursor, bool ends)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    if (!__atomic_load_n(&t->arming, __ATOMIC_SEQ_CST))
        trace_span_update(&t->span, now, cursor, unrecorded(t, h, cursor), ends);
}

void trace_suppressed_span_begin(struct thread_state *h, uint64_t now, uint64_t cursor)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    bool writes = !t->span.record && t->suppressed;
    uint64_t behind = cursor + (writes ? sizeof(struct pcomp_event_long) : 0);
    if (!__atomic_load_n(&t->arming, __ATOMIC_SEQ_CST))
        trace_span_begin(h, &t->span, PCOMP_EVENT_UNRECORDED, now, cursor, unrecorded(t, h, behind), t->suppressed > 0);
}
