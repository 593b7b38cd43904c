#include "reporters/tree/build/probe_factor.h"

#include "compensation/estimate/probe_price.h"

#include <math.h>

static double slow_ticks(const struct profile_file *file)
{
    double sum = 0;
    for (uint32_t c = 0; c < file->chunk_count; c++) {
        const struct profile_chunk *chunk = &file->chunks[c];
        if (chunk->kind != PCOMP_CHUNK_NODES)
            continue;
        for (uint32_t i = 0; i < chunk->count; i++)
            sum += (double)profile_node_extra(file, chunk, i)->slow_ticks;
        profile_release_nodes(file, chunk);
    }
    return sum;
}

/* As it was where the file is damaged: no probe costs days. */
static int64_t scaled(int64_t delta, double factor)
{
    double to = (double)delta * factor;
    return fabs(to) < 0x1p52 ? (int64_t)to : delta;
}

static void scale(struct pcomp_delta *d, double factor)
{
    d->own = scaled(d->own, factor);
    d->descendant = scaled(d->descendant, factor);
}

bool probe_factor_apply(struct profile_file *file, double *error)
{
    struct pcomp_header *h = &file->header;
    const uint32_t others = PCOMP_FLAG_COUNTS | PCOMP_FLAG_TRACE | PCOMP_FLAG_REPLAYED | PCOMP_FLAG_CALIBRATION_FILE;
    if (h->flags & others || h->model != PCOMP_MODEL_SPLIT || !h->sample_period_ns)
        return false;
    double tick = profile_tick_ns(file) * 1e-9;
    double slow = slow_ticks(file);
    const struct pcomp_probe_price_sources s = {
        .samples = (double)h->probe_samples,
        .library = (double)h->probe_periods * (double)h->sample_period_ns * 1e-9,
        .processor = (double)h->probe_all * (double)h->sample_period_ns * 1e-9,
        .slow = slow * tick,
        .kernel = ((double)h->probe_overhead / (1 << PCOMP_FIX_SHIFT) - slow) * tick,
        .sleds = h->site_sleds > 0,
    };
    struct pcomp_probe_price price = pcomp_probe_price(&s);
    *error = price.error;
    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        scale(&h->delta_start[v], price.factor);
        scale(&h->delta_exit[v], price.factor);
    }
    h->sample_period_ns = 0; /* done */
    return true;
}
