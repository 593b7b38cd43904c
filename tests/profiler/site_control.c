#include "tests/profiler/site_control.h"

#include "profiler/sites/sites.h"
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

EXPORT uint32_t control_switch(const void *from, const void *to, bool on, uint32_t *left_alone)
{
    sigset_t saved;
    signals_block(&saved);
    uint32_t changed = sites_switch((uint64_t)(uintptr_t)from, (uint64_t)(uintptr_t)to, on, left_alone);
    signals_restore(&saved);
    return changed;
}
