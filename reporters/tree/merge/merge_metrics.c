#include "reporters/tree/merge/merge_metrics.h"

#include <stdlib.h>
#include <string.h>

bool merge_metrics_take(struct tree_builder *b, const struct pcomp_header *h)
{
    size_t count = h->counter_count;
    b->counters = calloc(b->node_room * count, sizeof *b->counters);
    b->tree->counter_names = calloc(count, sizeof *b->tree->counter_names);
    if (!b->counters || !b->tree->counter_names)
        return false;
    for (size_t c = 0; c < count; c++) {
        const struct pcomp_counter *counter = &h->counters[c];
        b->tree->counter_names[c] =
            text_pool_copy(b->texts, counter->name, strnlen(counter->name, sizeof counter->name));
        if (!b->tree->counter_names[c])
            return false;
        b->counter_error[c].own = (double)counter->own_spread / (1 << PCOMP_FIX_SHIFT);
        b->counter_error[c].descendant = (double)counter->descendant_spread / (1 << PCOMP_FIX_SHIFT);
    }
    b->tree->counter_count = count;
    return true;
}

void merge_metrics_add(struct merge *m, uint32_t merged, const struct pcomp_node_extra *extra)
{
    size_t count = m->b->tree->counter_count;
    if (!count || m->file->header.counter_count != count)
        return;
    const struct pcomp_node_counter *from = profile_node_counters(m->file, extra);
    for (size_t c = 0; c < count; c++) {
        struct build_counter *to = &m->b->counters[merged * count + c];
        to->raw += (double)from[c].raw;
        to->compensated += (double)from[c].compensated / (1 << PCOMP_FIX_SHIFT);
    }
}
