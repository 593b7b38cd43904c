#include "compensation/replay/time_totals.h"

#include "compensation/numeric/delta.h"

int64_t time_total_sequential(struct time_part part, int64_t alpha)
{
    return (int64_t)(part.measured << PCOMP_FIX_SHIFT) - alpha * (int64_t)part.events;
}

int64_t time_total_concurrent(const struct time_phase *phases, size_t count, int64_t alpha)
{
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t longest = 0;
        for (size_t j = 0; j < phases[i].count; j++) {
            int64_t part = time_total_sequential(phases[i].parts[j], alpha);
            if (j == 0 || part > longest)
                longest = part;
        }
        total += longest;
    }
    return total;
}
