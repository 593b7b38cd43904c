#include "profiler/switching.h"

#include "profiler/sampling.h"
#include "profiler/sites/sites.h"
#include "profiler/store.h"
#include "profiler/threads.h"

bool switching_off, switching_used;

uint64_t switching_turn(bool on)
{
    uint32_t ignored = 0;
    if (on == !switching_off)
        return sampling_clock();
    switching_used = true;
    uint64_t begin = sampling_clock();
    sites_switch(0, UINT64_MAX, on, &ignored);
    uint64_t now = sampling_clock();
    if (!on) {
        __atomic_store_n(&switching_off, true, __ATOMIC_RELEASE);
        sites_synchronise(); /* a thread that has not set its guard will see that; that of any other is seen */
    }
    threads_each(on ? sampling_return : sampling_leave, now);
    if (on)
        __atomic_store_n(&switching_off, false, __ATOMIC_RELEASE);
    store_header->hooks_on = on;
    store_header->switches++;
    store_header->switch_ticks += sampling_clock() - begin;
    return now;
}

void switching_renew(void)
{
    uint32_t ignored = 0;
    sites_switch(0, UINT64_MAX, false, &ignored);
}

void switching_fork(void)
{
    switching_off = false;
}
