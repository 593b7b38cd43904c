/* Memory for arrays of millions of records: in huge pages where the system has them, because a page fault for every
 * 4096 bytes takes as long as the work on them. Given back with free(). */
#ifndef PCOMP_BIG_ARRAY_H
#define PCOMP_BIG_ARRAY_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BIG_ARRAY_LEAST ((size_t)4 << 20)
#define BIG_ARRAY_ALIGN ((size_t)2 << 20)

/* Not zeroed; NULL when out of memory. */
static inline void *big_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    if (bytes < BIG_ARRAY_LEAST)
        return malloc(bytes ? bytes : 1);
    bytes = (bytes + BIG_ARRAY_ALIGN - 1) / BIG_ARRAY_ALIGN * BIG_ARRAY_ALIGN;
    void *array = aligned_alloc(BIG_ARRAY_ALIGN, bytes);
    if (array)
        madvise(array, bytes, MADV_HUGEPAGE);
    return array;
}

#endif
