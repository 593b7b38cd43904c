#include "tests/instrument/check_collectives.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

struct part { /* of one process in one operation */
    uint32_t comm, nth;
    int rank;
    uint64_t root, about, enter, exit;
};

static struct part *parts;
static size_t part_count;

/* How many operations on the communicator the parts from the first-th on are. */
static uint32_t operations_on(size_t first, uint32_t comm)
{
    uint32_t count = 0;
    for (size_t i = first; i < part_count; i++)
        count += parts[i].comm == comm;
    return count;
}

void collectives_read(const struct trace_events *trace)
{
    size_t first = part_count;
    bool inside = false;
    for (size_t i = 0; i < trace->count; i++) {
        const struct pcomp_event_long *event = &trace->events[i];
        uint32_t kind = (uint32_t)(event->what >> 56);
        if (kind == PCOMP_EVENT_COLLECTIVE_ENTER) {
            if (inside)
                miss("rank %d: event %zu: a collective inside another", trace->header.rank, i);
            uint32_t comm = (uint32_t)(event->a >> 32), nth = operations_on(first, comm);
            parts = realloc(parts, (part_count + 1) * sizeof *parts);
            parts[part_count++] =
                (struct part){comm, nth, trace->header.rank, (uint32_t)event->a, event->b, event->time, 0};
            inside = true;
        } else if (kind == PCOMP_EVENT_COLLECTIVE_EXIT) {
            const struct part *part = inside ? &parts[part_count - 1] : NULL;
            if (!part || part->about != event->b || part->comm != (uint32_t)(event->a >> 32))
                miss("rank %d: event %zu: an exit without its enter", trace->header.rank, i);
            else
                parts[part_count - 1].exit = event->time;
            inside = false;
        }
    }
    if (inside)
        miss("rank %d: ends inside a collective", trace->header.rank);
}

static int part_order(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->nth != y->nth)
        return x->nth < y->nth ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* True when `late` has to wait for `early`. */
static bool waits(const struct part *late, const struct part *early)
{
    switch (late->about & 0xff) {
    case PCOMP_COLLECTIVE_BARRIER:
    case PCOMP_COLLECTIVE_N_TO_N:
        return true;
    case PCOMP_COLLECTIVE_1_TO_N:
        return early->rank == (int)late->root;
    case PCOMP_COLLECTIVE_N_TO_1:
        return late->rank == (int)late->root;
    default: /* in a communicator whose ranks are in the order of MPI_COMM_WORLD */
        return early->rank < late->rank;
    }
}

static void operation_check(const struct part *first, size_t members)
{
    if (members != first->about >> 16)
        miss("communicator %u, operation %u: %zu members instead of %" PRIu64, first->comm, first->nth, members,
             first->about >> 16);
    for (size_t i = 0; i < members; i++) {
        if (first[i].about != first->about || first[i].root != first->root)
            miss("communicator %u, operation %u: rank %d takes part in another", first->comm, first->nth,
                 first[i].rank);
        if (i && first[i].rank == first[i - 1].rank)
            miss("communicator %u, operation %u: rank %d twice", first->comm, first->nth, first[i].rank);
        for (size_t k = 0; k < members; k++)
            if (waits(&first[i], &first[k]) && first[i].exit + clock_error < first[k].enter)
                miss("communicator %u, operation %u: rank %d did not wait for rank %d", first->comm, first->nth,
                     first[i].rank, first[k].rank);
    }
}

void collectives_check(void)
{
    qsort(parts, part_count, sizeof *parts, part_order);
    for (size_t i = 0, end; i < part_count; i = end) {
        for (end = i + 1; end < part_count && parts[end].comm == parts[i].comm && parts[end].nth == parts[i].nth;)
            end++;
        operation_check(&parts[i], end - i);
    }
    free(parts);
}
