#include "profiler/stack/shadow.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/private_memory.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK_FIRST 4096u
#define NEAR_BELOW                                                                                                     \
    (256u << 10)                /* assumed of a stack until it is looked up: far less than any two stacks lie apart,   \
                                 */
#define NEAR_ABOVE  (64u << 10) /* but for coroutines, whose stacks makecontext tells */
#define MAIN_STEP   (8u << 20)
#define KNOWN_MAX   4096u
#define MAPS_BUFFER 16384

uint64_t shadow_stride = sizeof(struct timed_frame);

static struct spin lock;
static struct shadow *unused;
static struct {
    uint64_t low, high;
} known[KNOWN_MAX];
static uint32_t known_count;

void shadow_register_stack(uint64_t low, uint64_t size)
{
    sigset_t saved;
    signals_block(&saved);
    spin_lock(&lock);
    uint32_t i = 0;
    while (i < known_count && known[i].low != low)
        i++;
    if (i < KNOWN_MAX) {
        known[i].low = low;
        known[i].high = low + size;
        if (i == known_count)
            known_count++;
    }
    spin_unlock(&lock);
    signals_restore(&saved);
}

static bool find_known(uint64_t sp, uint64_t *low, uint64_t *high)
{
    bool found = false;
    spin_lock(&lock);
    for (uint32_t i = 0; i < known_count && !found; i++)
        if (sp > known[i].low && sp <= known[i].high) {
            *low = known[i].low;
            *high = known[i].high;
            found = true;
        }
    spin_unlock(&lock);
    return found;
}

/* The mapping that `sp` lies in, from /proc/self/maps. */
static bool find_mapping(uint64_t sp, uint64_t *low, uint64_t *high)
{
    static struct spin buffer_lock;
    static char buffer[MAPS_BUFFER];
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    uint64_t from = 0, value = 0;
    enum { FROM, TO, REST } state = FROM;
    bool found = false;
    spin_lock(&buffer_lock);
    for (ssize_t n; !found && (n = read(fd, buffer, sizeof(buffer))) > 0;)
        for (ssize_t i = 0; i < n && !found; i++) {
            char c = buffer[i];
            if (state == REST)
                state = c == '\n' ? FROM : REST;
            else if (c == '-' || c == ' ') {
                found = c == ' ' && sp > from && sp <= value;
                *low = from;
                *high = value;
                from = value;
                state = c == '-' ? TO : REST;
                value = 0;
            } else
                value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
    spin_unlock(&buffer_lock);
    descriptor_close(fd);
    return found;
}

void shadow_find_stack(uint64_t sp, bool grows, uint64_t *low, uint64_t *high)
{
    if (!find_mapping(sp, low, high)) {
        *low = sp > NEAR_BELOW ? sp - NEAR_BELOW : 0;
        *high = sp + NEAR_ABOVE;
    }
    if (grows && *low + MAIN_STEP > sp)
        *low = sp > MAIN_STEP ? sp - MAIN_STEP : 0;
}

static struct pcomp_frame *first_frame(struct pcomp_chunk *c)
{
    return (struct pcomp_frame *)((char *)(c + 1) + sizeof(struct pcomp_stack));
}

static uint64_t limit_of(const struct thread_state *h, struct pcomp_chunk *c)
{
    return (uint64_t)(uintptr_t)first_frame(c) + (c->capacity - SHADOW_SPARE) * shadow_stride - (uint64_t)(uintptr_t)h;
}

static struct pcomp_chunk *new_chunk(struct thread_state *h, const struct shadow *s, uint64_t size, uint32_t generation)
{
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_STACK, size, h->thread->index, (uint32_t)shadow_stride);
    if (!c)
        return NULL;
    struct pcomp_stack *record = (struct pcomp_stack *)(c + 1);
    record->id = s->id;
    record->generation = generation;
    record->low = s->low;
    record->high = s->high;
    uint64_t room = (c->size - sizeof(*c) - sizeof(*record)) / shadow_stride, max = config.depth_limit + SHADOW_SPARE;
    c->capacity = (uint32_t)(room < max ? room : max);
    for (uint32_t i = 0; !config.custom && i < c->capacity; i++)
        ((struct timed_frame *)first_frame(c))[i].pending.node = (uint64_t)(uintptr_t)h->root;
    return c;
}

/* What starts on the stack of this frame has `node` as its parent. */
static void give_path(struct pcomp_frame *root, uint64_t node)
{
    root->node = node;
}

static bool give_frames(struct thread_state *h, struct shadow *s, uint64_t node)
{
    if (!s->chunk && !(s->chunk = new_chunk(h, s, CHUNK_FIRST, 1)))
        return false;
    struct pcomp_frame *root = first_frame(s->chunk);
    root->function = FRAME_ROOT;
    root->sp = s->high;
    root->overhead = h->overhead;
    root->end = 0;
    root->start = clock_read(config.clock);
    s->left_tick = root->start;
    s->left_overhead = h->overhead;
    give_path(root, node);
    frame_above(root)->function = 0;
    s->pos = (uint64_t)(uintptr_t)root - (uint64_t)(uintptr_t)h;
    return true;
}

static struct shadow *new_shadow(struct thread_state *h, enum shadow_kind kind, uint64_t low, uint64_t high)
{
    spin_lock(&lock);
    struct shadow *s = unused;
    if (s)
        unused = s->next;
    spin_unlock(&lock);
    if (!s && !(s = private_memory(sizeof(*s))))
        return NULL;
    *s = (struct shadow){.id = h->thread->stack_count++, .kind = kind, .low = low, .high = high};
    return s;
}

static void give_back(struct shadow *s)
{
    spin_lock(&lock);
    s->next = unused;
    unused = s;
    spin_unlock(&lock);
}

static void make_current(struct thread_state *h, struct shadow *s)
{
    h->shadow = s;
    h->low = s->low;
    h->reach = s->high - s->low;
    h->limit = limit_of(h, s->chunk);
    *shadow_pos(h) = s->pos;
}

bool shadow_start(struct thread_state *h, uint64_t sp)
{
    struct shadow *s = new_shadow(h, SHADOW_OWN, sp > NEAR_BELOW ? sp - NEAR_BELOW : 0, sp + NEAR_ABOVE);
    if (!s)
        return false;
    if (!give_frames(h, s, (uint64_t)(uintptr_t)h->root)) {
        give_back(s);
        return false;
    }
    h->shadows = s;
    make_current(h, s);
    return true;
}

static struct shadow *find_shadow(struct thread_state *h, uint64_t sp)
{
    for (struct shadow *s = h->shadows; s; s = s->next)
        if (sp > s->low && sp <= s->high)
            return s;
    return NULL;
}

static bool on_signal_stack(uint64_t sp, uint64_t *low, uint64_t *high)
{
    stack_t ss;
    if (sigaltstack(NULL, &ss) != 0 || (ss.ss_flags & SS_DISABLE))
        return false;
    *low = (uint64_t)(uintptr_t)ss.ss_sp;
    *high = *low + ss.ss_size;
    return sp > *low && sp <= *high;
}

bool shadow_is_signal_stack(uint64_t sp)
{
    uint64_t low, high;
    return on_signal_stack(sp, &low, &high);
}

/* The shadow of a machine stack seen for the first time, or a known one found to reach as far as `sp`. */
static struct shadow *register_stack(struct thread_state *h, uint64_t sp)
{
    uint64_t low = 0, high = 0;
    enum shadow_kind kind = SHADOW_COROUTINE;
    if (on_signal_stack(sp, &low, &high))
        kind = SHADOW_SIGNAL;
    else if (!find_known(sp, &low, &high)) {
        if (!find_mapping(sp, &low, &high)) {
            low = sp > NEAR_BELOW ? sp - NEAR_BELOW : 0;
            high = sp + NEAR_ABOVE;
        }
        for (struct shadow *s = h->shadows; s; s = s->next)
            if (s->kind == SHADOW_OWN && s->low < high && s->high > low) {
                /* the thread's own stack, deeper or higher than seen so far; that of the process grows by pages */
                if (h->thread->flags & PCOMP_THREAD_MAIN)
                    low = sp > MAIN_STEP ? sp - MAIN_STEP : 0;
                s->low = low < s->low ? low : s->low;
                s->high = high > s->high ? high : s->high;
                first_frame(s->chunk)->sp = s->high;
                return s;
            }
    }
    struct shadow *s = new_shadow(h, kind, low, high);
    if (!s)
        return NULL;
    if (!give_frames(h, s, (uint64_t)(uintptr_t)h->root)) {
        give_back(s);
        return NULL;
    }
    s->next = h->shadows;
    h->shadows = s;
    return s;
}

/* Open activations of a stack that rested did not run meanwhile, and hooks that ran meanwhile were not in them. */
static void shift_starts(struct thread_state *h, struct shadow *s, uint64_t rested)
{
    struct pcomp_frame *top = thread_frame(h, s->pos);
    int64_t overhead = h->overhead - s->left_overhead;
    for (struct pcomp_frame *f = first_frame(s->chunk); f <= top; f = frame_above(f))
        if (!frame_is_skipped(f)) {
            f->start += rested;
            f->end += f->end ? rested : 0;
            f->overhead += overhead;
        }
    s->left_overhead = h->overhead;
}

static void switch_to(struct thread_state *h, struct shadow *to, uint64_t now)
{
    struct shadow *from = h->shadow;
    from->pos = *shadow_pos(h);
    if (to != from) {
        h->thread->stack_switches++;
        bool handler_ends = from->kind == SHADOW_SIGNAL && from->interrupted == to;
        from->left_tick = now;
        from->left_overhead = h->overhead;
        if (to->kind == SHADOW_SIGNAL)
            to->interrupted = from;
        else if (!handler_ends)
            shift_starts(h, to, now > to->left_tick ? now - to->left_tick : 0);
    }
    make_current(h, to);
}

bool shadow_switch(struct thread_state *h, uint64_t sp, uint64_t now)
{
    struct shadow *to = find_shadow(h, sp);
    if (!to && !(to = register_stack(h, sp)))
        return false;
    switch_to(h, to, now);
    return true;
}

void shadow_switch_to(struct thread_state *h, uint32_t id, uint64_t now)
{
    for (struct shadow *s = h->shadows; s; s = s->next)
        if (s->id == id) {
            switch_to(h, s, now);
            return;
        }
}

void shadow_show(struct thread_state *h, struct shadow *s)
{
    h->shadow->pos = *shadow_pos(h);
    h->shadow->left_overhead = h->overhead;
    make_current(h, s);
}

void shadow_show_resting(struct thread_state *h, struct shadow *s)
{
    shadow_show(h, s);
    shift_starts(h, s, 0);
}

bool shadow_runs(const struct shadow *current, const struct shadow *s)
{
    while (current != s && current->kind == SHADOW_SIGNAL && current->interrupted)
        current = current->interrupted;
    return current == s;
}

void shadow_set_parent(struct thread_state *h)
{
    struct shadow *s = h->shadow;
    struct pcomp_frame *interrupted = thread_frame(h, s->interrupted->pos);
    if (frame_is_unfinished(interrupted))
        interrupted = frame_below(interrupted);
    give_path(first_frame(s->chunk), interrupted->node);
    first_frame(s->chunk)->sp = 0; /* every handler starts, and ends, on the slow path */
}

/* Frames unfinished get an identity that no quick exit finds: the hooks that published them may be interrupted by
 * handlers, of which the last makes the stack grow, and fill them where they were. */
static void mark_moved(struct shadow *s, struct pcomp_frame *first, const struct pcomp_frame *top)
{
    s->moved_first = s->moved_end = 0;
    for (struct pcomp_frame *f = first; f <= top; f = frame_above(f))
        if (!frame_is_root(f) && frame_is_unfinished(f)) {
            uint64_t at = (uint64_t)((char *)f - (char *)first);
            f->function = FRAME_MOVED;
            s->moved_first = s->moved_end ? s->moved_first : at;
            s->moved_end = at + shadow_stride;
        }
}

/* Whether the hook has filled the frame at this place in a chunk that the stack has outgrown. */
static bool adopt(struct pcomp_frame *f, struct pcomp_chunk *outgrown, uint64_t at)
{
    for (struct pcomp_chunk *c = outgrown; c; c = (struct pcomp_chunk *)(uintptr_t)c->reserved[1]) {
        const struct pcomp_frame *filled = (struct pcomp_frame *)((char *)first_frame(c) + at);
        if (at < c->capacity * shadow_stride && filled->function != FRAME_MOVED && !frame_is_unfinished(filled)) {
            memcpy(f, filled, shadow_stride);
            return true;
        }
    }
    return false;
}

void shadow_adopt(struct thread_state *h)
{
    struct shadow *s = h->shadow;
    char *first = (char *)first_frame(s->chunk);
    struct pcomp_frame *top = shadow_top(h);
    uint64_t at = s->moved_first, end = s->moved_end;
    s->moved_first = s->moved_end = 0;
    for (; at < end && first + at <= (char *)top; at += shadow_stride) {
        struct pcomp_frame *f = (struct pcomp_frame *)(first + at);
        if (f->function != FRAME_MOVED)
            continue;
        if (adopt(f, (struct pcomp_chunk *)(uintptr_t)s->chunk->reserved[1], at)) {
            if (f == top)
                frame_above(f)->function = 0;
        } else {
            s->moved_first = s->moved_end ? s->moved_first : at;
            s->moved_end = at + shadow_stride;
        }
    }
}

bool shadow_grow(struct thread_state *h)
{
    struct shadow *s = h->shadow;
    uint32_t depth = s->chunk->capacity;
    if (depth >= config.depth_limit) {
        __atomic_or_fetch(&store_header->stopped, PCOMP_STOPPED_DEPTH, __ATOMIC_RELAXED);
        return false;
    }
    struct pcomp_stack *old = (struct pcomp_stack *)(s->chunk + 1);
    uint64_t max = sizeof(*s->chunk) + sizeof(*old) + (config.depth_limit + SHADOW_SPARE) * shadow_stride;
    uint64_t size = s->chunk->size * 2 > max ? max : s->chunk->size * 2;
    struct pcomp_chunk *c = new_chunk(h, s, size, 0);
    if (!c)
        return false;
    uint64_t *pos = shadow_pos(h);
    uint64_t bytes = (uint64_t)(uintptr_t)h + *pos + 2 * shadow_stride - (uint64_t)(uintptr_t)first_frame(s->chunk);
    memcpy(first_frame(c), first_frame(s->chunk),
           bytes < s->chunk->size ? bytes : (s->chunk->capacity * shadow_stride));
    struct pcomp_frame *above = (struct pcomp_frame *)((char *)first_frame(c) + bytes - shadow_stride);
    above->function = 0;
    mark_moved(s, first_frame(c), frame_below(above));
    /* complete now: the reader takes the higher generation */
    __atomic_store_n(&((struct pcomp_stack *)(c + 1))->generation, old->generation + 1, __ATOMIC_RELEASE);
    *pos += (uint64_t)(uintptr_t)c - (uint64_t)(uintptr_t)s->chunk;
    c->reserved[1] = (uint64_t)(uintptr_t)s->chunk; /* hooks that this handler interrupted go on there */
    s->chunk = c;
    h->limit = limit_of(h, c);
    return true;
}

static void free_chunks(struct pcomp_chunk *c)
{
    while (c) {
        struct pcomp_chunk *outgrown = (struct pcomp_chunk *)(uintptr_t)c->reserved[1];
        store_free(c);
        c = outgrown;
    }
}

void shadow_end(struct thread_state *h)
{
    for (struct shadow *s = h->shadows, *next; s; s = next) {
        next = s->next;
        free_chunks(s->chunk);
        give_back(s);
    }
    h->shadow = h->shadows = NULL;
}

void shadow_forget(void)
{
    lock.taken = 0;
    unused = NULL; /* shadows of the parent's threads stay unused: a few cache lines */
}
