/* Memory for arrays of millions of records that will all be written: their pages are asked for at once, because one
 * fault for every 4096 bytes takes as long as the work on them. (Huge pages were slower in virtual machines, where the
 * host has to find them first.) Given back with free(). */
#ifndef PCOMP_BIG_ARRAY_H
#define PCOMP_BIG_ARRAY_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; older ones refuse it, and the pages come one by one */
#endif
#define BIG_ARRAY_MIN  ((size_t)1 << 20)
#define BIG_ARRAY_PAGE ((size_t)4096)

/* Not zeroed; NULL when out of memory. */
static inline void *big_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    if (bytes < BIG_ARRAY_MIN)
        return malloc(bytes ? bytes : 1);
    bytes = (bytes + BIG_ARRAY_PAGE - 1) / BIG_ARRAY_PAGE * BIG_ARRAY_PAGE;
    void *array = aligned_alloc(BIG_ARRAY_PAGE, bytes);
    if (array)
        madvise(array, bytes, MADV_POPULATE_WRITE);
    return array;
}

#endif
