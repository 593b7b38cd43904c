#include "profiler/record/inherited.h"

#include "profiler/code/functions.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/frames.h"

#include <string.h>
#include <sys/mman.h>

struct inherited {
    uint64_t function, sp; /* function 0: not measured */
};

static __thread struct {
    struct inherited *open;
    uint64_t count, size;
    bool child;
} snapshot;

void inherited_drop(void)
{
    if (snapshot.open)
        munmap(snapshot.open, snapshot.size);
    memset(&snapshot, 0, sizeof(snapshot));
}

void inherited_keep(void)
{
    snapshot.child = true;
}

void inherited_take(void)
{
    struct thread_state *h = current_thread;
    inherited_drop();
    if (h->self != h || !h->shadow || h->recording == RECORDING_CLOSED || h->shadow->kind != SHADOW_OWN)
        return;
    struct pcomp_frame *top = shadow_top(h), *f;
    uint64_t depth = 0;
    for (f = top; !frame_is_root(f); f = frame_below(f))
        depth++;
    if (!depth)
        return;
    uint64_t size = (depth * sizeof(struct inherited) + 4095) / 4096 * 4096;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    snapshot.open = memory;
    snapshot.size = size;
    snapshot.count = depth;
    for (f = top; !frame_is_root(f); f = frame_below(f))
        snapshot.open[--depth] = (struct inherited){!frame_is_skipped(f) ? frame_function(f) : 0, f->sp};
}

void inherited_leave(uint64_t function)
{
    if (snapshot.child && snapshot.count && snapshot.open[snapshot.count - 1].function == function)
        snapshot.count--;
}

/* Opens it: elapsed 0, not counted. False: no memory. */
static bool open_again(struct thread_state *h, uint64_t function, uint64_t sp)
{
    uint64_t start = h->thread->start_tick;
    if (!on_stack(h, sp))
        return false;
    if (stack_is_full(h, *shadow_pos(h)) && !shadow_grow(h))
        return false;
    struct pcomp_frame *top = shadow_top(h);
    struct function_info info = function_find(function);
    struct pcomp_node *parent = frame_node(top), *node;
    struct custom_link *link = NULL;
    if (config.custom) {
        link = custom_find(h, top->node, function, 0);
        if (!link)
            link = custom_add(h, parent, function, 0, info.id, info.skipped, top, 0);
        node = link ? link->node : NULL;
    } else {
        node = path_find_any(h, top->node, function);
        if (!node)
            node = path_add(h, parent, function, info.id, info.skipped, true);
    }
    struct pcomp_frame *f = frame_above(top);
    if (!node)
        return false;
    fill_measured(f, function | FRAME_SKIP_BIT, sp, (uint64_t)(uintptr_t)node); /* measured, but not counted */
    *shadow_pos(h) += shadow_stride;
    f->overhead = h->overhead;
    if (link)
        custom_fill(h, f, link);
    f->start = start;
    return true;
}

void inherited_open(struct thread_state *h)
{
    if (snapshot.child)
        for (uint64_t i = 0; i < snapshot.count; i++)
            if (snapshot.open[i].function && !open_again(h, snapshot.open[i].function, snapshot.open[i].sp))
                break;
    if (snapshot.count)
        h->thread->flags |= PCOMP_THREAD_INHERITED;
    inherited_drop();
}
