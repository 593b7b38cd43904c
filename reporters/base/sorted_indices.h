/* Numbers 0 to count - 1 in the order of what they stand for. */
#ifndef PCOMP_SORTED_INDICES_H
#define PCOMP_SORTED_INDICES_H

#include <stdint.h>
#include <stdlib.h>

/* `compare` gets pointers to two numbers (uint32_t), as by qsort_r. malloc'ed; NULL: out of memory. */
static inline uint32_t *sorted_indices(size_t count, int (*compare)(const void *, const void *, void *), void *context)
{
    uint32_t *order = malloc((count + 1) * sizeof *order);
    for (size_t i = 0; order && i < count; i++)
        order[i] = (uint32_t)i;
    if (order)
        qsort_r(order, count, sizeof *order, compare, context);
    return order;
}

#endif
