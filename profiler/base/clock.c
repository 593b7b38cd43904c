#include "profiler/base/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_counter_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
    return true; /* the architecture promises it for cntvct_el0 */
#endif
}

uint32_t clock_choose(uint32_t asked, bool *refused)
{
#if defined(__x86_64__)
    bool known = asked != PCOMP_CLOCK_CNTVCT;
    uint32_t counter = PCOMP_CLOCK_TSC;
#else
    bool known = asked != PCOMP_CLOCK_TSC && asked != PCOMP_CLOCK_TSC_SERIAL;
    uint32_t counter = PCOMP_CLOCK_CNTVCT;
#endif
    *refused = asked && (!known || (asked != PCOMP_CLOCK_MONOTONIC && !clock_counter_is_invariant()));
    if (asked && !*refused)
        return asked;
    return clock_counter_is_invariant() ? counter : PCOMP_CLOCK_MONOTONIC;
}

void clock_pair(uint32_t kind, uint64_t *tick, uint64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = clock_read(kind), now = clock_now_ns(CLOCK_MONOTONIC), after = clock_read(kind);
        if (after - before < best) {
            best = after - before;
            *tick = before + (after - before) / 2;
            *ns = now;
        }
    }
}
