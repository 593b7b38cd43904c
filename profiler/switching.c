#include "profiler/switching.h"

#include "profiler/code/sites/sites.h"
#include "profiler/sampling.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#define HALT_TRIES 10 /* a hook that is interrupted in its midst may last */

bool switching_off, switching_used;
static bool removed; /* the sites are off */

/* A hook that was about to count undoes it; so this is done until it finds nothing. */
static bool halt_all(void)
{
    bool counting = false;
    threads_each(sampling_halt, (uint64_t)(uintptr_t)&counting);
    sites_synchronise();
    return !counting;
}

uint64_t switching_halt(void)
{
    if (switching_off)
        return sampling_clock();
    switching_used = true;
    uint64_t begin = sampling_clock();
    __atomic_store_n(&switching_off, true, __ATOMIC_RELEASE);
    sites_synchronise(); /* a thread that has not set its guard will see that; that of any other is seen */
    for (unsigned i = 0; i < HALT_TRIES && !halt_all(); i++)
        ;
    uint64_t now = sampling_clock();
    threads_each(sampling_leave, now);
    store_header->hooks_on = 0;
    store_header->switch_ticks += sampling_clock() - begin;
    return now;
}

static uint64_t turn_off(void)
{
    uint32_t ignored = 0;
    uint64_t now = switching_halt(), begin = sampling_clock();
    sites_switch(0, UINT64_MAX, false, &ignored);
    removed = true;
    store_header->switches++;
    store_header->switch_ticks += sampling_clock() - begin;
    return now;
}

static uint64_t turn_on(void)
{
    uint32_t ignored = 0;
    uint64_t begin = sampling_clock();
    sites_switch(0, UINT64_MAX, true, &ignored);
    removed = false;
    uint64_t now = sampling_clock();
    threads_each(sampling_return, now);
    __atomic_store_n(&switching_off, false, __ATOMIC_RELEASE);
    store_header->hooks_on = 1;
    store_header->switches++;
    store_header->switch_ticks += sampling_clock() - begin;
    return now;
}

uint64_t switching_turn(bool on)
{
    if (on ? !switching_off : removed)
        return sampling_clock();
    return on ? turn_on() : turn_off();
}

void switching_renew(void)
{
    uint32_t ignored = 0;
    sites_switch(0, UINT64_MAX, false, &ignored);
}

void switching_fork(void)
{
    switching_off = removed = false;
}
