#include "profiler/base/thread_list.h"

#include "profiler/base/clock.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/spin.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#define SLAB 65536u

/* Threads without a struct of their own share this one; it stays zero but for its pos, which every slow path resets.
 * The room behind it keeps even a burst of first calls from many threads inside. */
static struct {
    struct thread_state state;
    char room[65536];
} idle;

__thread struct thread_state *current_thread __attribute__((tls_model("initial-exec"), visibility("hidden"))) =
    &idle.state;

__thread bool thread_is_over __attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct spin lock;
static struct thread_state *all, *unused;
static char *slab_at, *slab_end;

struct thread_state *thread_state_new(void)
{
    spin_lock(&lock);
    struct thread_state *h = unused;
    if (h)
        unused = h->next;
    else {
        if ((size_t)(slab_end - slab_at) < sizeof(*h)) {
            char *slab = mmap(NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (slab == MAP_FAILED) {
                spin_unlock(&lock);
                return NULL;
            }
            madvise(slab, SLAB, MADV_WIPEONFORK); /* before Linux 4.14: pthread_atfork alone (process/forks.c) */
            slab_at = slab;
            slab_end = slab + SLAB;
        }
        h = (struct thread_state *)slab_at;
        slab_at += sizeof(*h);
    }
    spin_unlock(&lock);
    memset(h, 0, sizeof(*h));
    h->self = h;
    return h;
}

void thread_state_free(struct thread_state *h)
{
    spin_lock(&lock);
    h->self = NULL;
    h->next = unused;
    unused = h;
    spin_unlock(&lock);
}

void thread_state_leave(void)
{
    current_thread = &idle.state;
}

void thread_list_add(struct thread_state *h)
{
    spin_lock(&lock);
    h->next = all;
    all = h;
    spin_unlock(&lock);
}

void thread_list_remove(const struct thread_state *h)
{
    spin_lock(&lock);
    for (struct thread_state **at = &all; *at; at = &(*at)->next)
        if (*at == h) {
            *at = h->next;
            break;
        }
    spin_unlock(&lock);
}

void thread_list_each(void (*visit)(struct thread_state *h, void *context), void *context)
{
    spin_lock(&lock);
    for (struct thread_state *h = all; h; h = h->next)
        visit(h, context);
    spin_unlock(&lock);
}

/* Reading the clock of a thread adds what it ran since the last tick to the time of the process. */
static void ask_clock(struct thread_state *h, void *left)
{
    uint32_t *threads = left;
    if (h == current_thread || !h->thread || !*threads)
        return;
    --*threads;
    processor_time_ns(h->thread->tid);
}

double thread_list_processor_seconds(void)
{
    uint32_t threads = THREAD_LIST_CLOCKS_MAX;
    thread_list_each(ask_clock, &threads);
    return (double)clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9;
}

void thread_list_forget(void)
{
    lock.taken = 0;
    all = unused = NULL;
    slab_at = slab_end = NULL;
    thread_state_leave();
}
