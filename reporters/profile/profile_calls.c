#include "reporters/profile/profile_calls.h"

#include "compensation/estimate/window_calls.h"
#include "compensation/numeric/t_quantile.h"

#include <math.h>

#define WINDOW_FACTOR_MAX 10.0 /* one that is above is damaged */

static void read_counters(const struct profile_file *f, struct profile_calls *calls)
{
    for (uint32_t c = 0; c < f->chunk_count; c++) {
        const struct profile_chunk *chunk = &f->chunks[c];
        if (chunk->kind != PCOMP_CHUNK_COUNTS)
            continue;
        for (uint32_t k = 0; k < chunk->count; k++) {
            uint64_t n = profile_counter(f, chunk, k);
            calls[k].live += chunk->counts_kind == PCOMP_COUNTS_THREAD ? n : 0;
            calls[k].ended += chunk->counts_kind == PCOMP_COUNTS_ENDED ? n : 0;
            calls[k].inexact += chunk->counts_kind > PCOMP_COUNTS_ENDED ? n : 0;
        }
    }
}

/* What is known from windows of functions that were sampled. Counters also have some of the calls in between: of sites
 * that were reached for the first times. */
static void read_windows(const struct profile_file *f, struct profile_calls *calls)
{
    struct pcomp_window_overhead overhead = {f->header.window_factor, f->header.window_factor_error};
    if (!(overhead.factor > 0 && overhead.factor < WINDOW_FACTOR_MAX && overhead.error > 0 && overhead.error < 1))
        overhead = (struct pcomp_window_overhead){1, PCOMP_WINDOW_PRICE};
    for (uint32_t c = 0; c < f->chunk_count; c++)
        for (uint32_t i = 0; f->chunks[c].kind == PCOMP_CHUNK_WINDOWS && i < f->chunks[c].count; i++) {
            const struct pcomp_sampled_calls *r =
                (const struct pcomp_sampled_calls *)(f->data + f->chunks[c].records +
                                                     (uint64_t)i * f->chunks[c].stride);
            if (r->function >= f->function_count)
                continue;
            struct profile_calls *to = &calls[r->function];
            struct pcomp_window_estimate e = pcomp_window_calls_estimate(&r->sums, 0, overhead);
            uint64_t counted = to->live + to->ended + to->inexact;
            uint64_t exact = r->sampled ? r->exact : counted + r->exact;
            if (!(e.calls >= 0) || !(e.half >= 0) || exact > counted)
                continue; /* damaged */
            to->unsure = counted - exact;
            to->estimated = fmin(e.calls, 1e18);
            double half = fmin(fmax(e.half, r->sums.seconds > 0), 1e18); /* N is never exact where there was a gap */
            to->variance = half / PCOMP_NORMAL_95 * (half / PCOMP_NORMAL_95);
        }
}

void profile_calls_read(const struct profile_file *f, struct profile_calls *calls)
{
    read_counters(f, calls);
    read_windows(f, calls);
}

uint64_t profile_calls_all(const struct profile_calls *calls)
{
    uint64_t counted = calls->live + calls->ended + calls->inexact;
    return (counted > calls->unsure ? counted - calls->unsure : 0) + (uint64_t)(calls->estimated + 0.5);
}
