#include "tests/profiler/site_control.h"

#include "profiler/code/sites/sites.h"
#include "profiler/profile_walk.h"
#include "profiler/spin.h"
#include "profiler/switching.h"

#include <stdio.h>
#include <stdlib.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

#define EXPORT __attribute__((visibility("default"), no_instrument_function))

EXPORT struct control_found control_find(const void *function)
{
    sigset_t saved;
    signals_block(&saved);
    const char *why =
        sites_start((uint64_t)(uintptr_t)__cyg_profile_func_enter, (uint64_t)(uintptr_t)__cyg_profile_func_exit);
    if (!why)
        sites_meet((uint64_t)(uintptr_t)function);
    struct sites_found found = sites_known();
    signals_restore(&saved);
    if (why || found.refused)
        fprintf(stderr, "sites refused: %s\n", why ? why : found.why);
    return (struct control_found){found.enters, found.exits, found.refused};
}

EXPORT void control_turn(bool on)
{
    sigset_t saved;
    signals_block(&saved);
    switching_turn(on);
    signals_restore(&saved);
}

EXPORT void control_halt(void)
{
    sigset_t saved;
    signals_block(&saved);
    switching_halt();
    signals_restore(&saved);
}

static void add_calls(struct walked_node at, void *sum)
{
    *(uint64_t *)sum += __atomic_load_n(&at.node->calls, __ATOMIC_RELAXED);
}

EXPORT uint64_t control_calls(void)
{
    uint64_t sum = 0;
    walk_nodes(add_calls, &sum);
    return sum;
}

EXPORT uint32_t control_switch(const void *from, const void *to, bool on, uint32_t *left_alone)
{
    sigset_t saved;
    signals_block(&saved);
    uint32_t changed = sites_switch((uint64_t)(uintptr_t)from, (uint64_t)(uintptr_t)to, on, left_alone);
    signals_restore(&saved);
    return changed;
}
