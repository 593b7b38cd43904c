#include "profiler/forks.h"

#include "profiler/callstack.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/sampler.h"
#include "profiler/counts.h"
#include "profiler/lock_in.h"
#include "profiler/session.h"
#include "profiler/shadow.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

struct inherited {
    uint64_t function, sp;
};

/* Of the forking thread, taken before the fork: afterwards the profile file belongs to the parent, which runs on. */
static __thread struct {
    struct inherited *open;
    uint64_t count, size;
    bool child;
} snapshot;

static void drop(void)
{
    if (snapshot.open)
        munmap(snapshot.open, snapshot.size);
    memset(&snapshot, 0, sizeof(snapshot));
}

static void take_snapshot(void)
{
    struct hot *h = hot_thread;
    drop();
    if (h->self != h || !h->shadow || h->park == PARK_CLOSED || h->shadow->kind != SHADOW_OWN)
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
    for (f = top; !frame_is_root(f); f = frame_below(f))
        if (f->end != FRAME_UNMEASURED)
            snapshot.open[--depth] = (struct inherited){f->function & ~FRAME_BITS, f->sp};
        else
            snapshot.open[--depth] = (struct inherited){0, f->sp};
    for (f = top; !frame_is_root(f); f = frame_below(f))
        snapshot.count++;
}

void forks_before(void)
{
    if (locked_in)
        return;
    take_snapshot();
    counts_before_fork();
}

void forks_after(void)
{
    if (locked_in)
        return;
    counts_after_fork();
    drop();
}

static bool forgotten; /* by the handlers, until the child begins a session of its own */

static void forget(void)
{
    counts_in_child();
    sites_fork();
    call_frames_fork();
    sampler_forget();
}

void forks_forget_parent(void)
{
    if (!forgotten)
        forget();
    forgotten = false;
}

void forks_in_child(void)
{
    if (locked_in)
        return;
    struct hot *h = hot_thread;
    if (h->self == h)
        memset(h, 0, sizeof(*h)); /* as the kernel does, where it can */
    session_in_child();
    snapshot.child = true;
    forget();
    forgotten = true;
}

void forks_start(void)
{
    static bool done;
    if (!done)
        done = pthread_atfork(forks_before, forks_after, forks_in_child) == 0;
}

void fork_leave(uint64_t function)
{
    if (snapshot.child && snapshot.count && snapshot.open[snapshot.count - 1].function == function)
        snapshot.count--;
}

void fork_inherit(struct hot *h)
{
    if (snapshot.child)
        for (uint64_t i = 0; i < snapshot.count; i++)
            if (snapshot.open[i].function && !callstack_inherit(h, snapshot.open[i].function, snapshot.open[i].sp))
                break;
    if (snapshot.count)
        h->thread->flags |= PCOMP_THREAD_INHERITED;
    drop();
}
