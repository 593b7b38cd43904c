#include "profiler/in_place.h"

#include "profiler/calibrate_counted.h"
#include "profiler/calibration_kernel.h"
#include "profiler/code/sites/sites.h"
#include "profiler/sampling.h"
#include "profiler/session.h"
#include "profiler/shadow.h"
#include "profiler/spin.h"
#include "profiler/store.h"
#include "profiler/switching.h"

#define EVERY_NS  3000000u /* mean */
#define BURSTS    10       /* so many times as seldom where hooks are on in bursts alone: it takes a part of one */
#define DISTURBED 4        /* so many times the calibrated cost: the thread was off its processor meanwhile */

static struct hot *scratch;
static struct spin lock;
static double before; /* what the kernel took in the measurement before; 0: none */

void in_place_keep(struct hot *h)
{
    h->low = 0; /* on any stack */
    h->reach = UINT64_MAX;
    shadow_top(h)->sp = UINT64_MAX;
    __atomic_store_n(&scratch, h, __ATOMIC_RELEASE);
}

void in_place_forget(void)
{
    scratch = NULL;
    before = 0;
    lock.taken = 0;
}

/* In a static executable the kernel's own calls of hooks are sites: they may go off in its midst. */
static bool kernel_changes(void)
{
    return switching_used && sites_change_at((uint64_t)(uintptr_t)hooked_kernel);
}

static void add(struct hot *h, int64_t call, double kernel)
{
    struct pcomp_thread *t = h->thread;
    uint64_t counted = t->counted_events, since = h->sampling.measured < counted ? h->sampling.measured : 0;
    double events = (double)(counted - since + 1);
    h->sampling.measured = counted;
    t->place_cost += call;
    t->place_squares += (double)call * (double)call;
    t->place_count++;
    store_header->place_events += events;
    store_header->place_event_squares += events * events;
    store_header->place_event_cost += events * (double)call;
    store_header->lookup_ticks += h->sampling.lookup_ticks;
    store_header->lookups += h->sampling.lookups;
    h->sampling.lookup_ticks = h->sampling.lookups = 0;
    uint64_t near;
    if (sampling_look_up_again(h, &near)) {
        store_header->near_ticks += near;
        store_header->near++;
    }
    if (before > 0) {
        store_header->kernel_ticks += kernel;
        store_header->kernel_products += before * kernel;
        store_header->kernel_pairs++;
    }
    before = kernel;
}

void in_place_measure(struct hot *h, uint64_t now)
{
    sigset_t saved;
    struct sampling *s = &h->sampling;
    struct hot *other = __atomic_load_n(&scratch, __ATOMIC_ACQUIRE);
    if (now < s->measure_at || !other || other->self != other) /* wiped in the child of a fork */
        return;
    uint64_t every = (uint64_t)(session_tick_hz * 1e-9 * EVERY_NS) * (switching_used ? BURSTS : 1);
    s->measure_at = now + every / 2 + s->random % every;
    if (!spin_try(&lock))
        return;
    signals_block(&saved); /* a handler's hooks would be counted there */
    int64_t kernel = 0, call = kernel_changes() ? 0 : calibrate_counted_again(other, &kernel),
            usual = session_delta[PCOMP_VARIANT_REPEAT].descendant + session_delta[PCOMP_VARIANT_BARE].descendant;
    if (call > 0 && call < DISTURBED * usual)
        add(h, call, (double)kernel);
    spin_unlock(&lock); /* first: a handler that was held up may jump away */
    signals_restore(&saved);
}
