/* Binary search in anything that is in order. */
#ifndef PCOMP_SORTED_H
#define PCOMP_SORTED_H

#include <stddef.h>

/* Sets `at`, a variable of size_t, to how many of `count` elements lie before the place that is sought: `is_before`
 * says so of element `at`, and of all elements in front of one for which it is true. */
#define SORTED_FIND(at, count, is_before)                                                                              \
    do {                                                                                                               \
        size_t sorted_low = 0, sorted_high = (count);                                                                  \
        while (sorted_low < sorted_high) {                                                                             \
            (at) = sorted_low + (sorted_high - sorted_low) / 2;                                                        \
            if (is_before)                                                                                             \
                sorted_low = (at) + 1;                                                                                 \
            else                                                                                                       \
                sorted_high = (at);                                                                                    \
        }                                                                                                              \
        (at) = sorted_low;                                                                                             \
    } while (0)

#endif
