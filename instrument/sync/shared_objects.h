/* Objects in memory that several processes have: one object each, in the traces of all that were forked from where it
 * was initialised. The number that it got there is inherited with the table. Elsewhere nothing is known of it. */
#ifndef PCOMP_SHARED_OBJECTS_H
#define PCOMP_SHARED_OBJECTS_H

#include "instrument/address_table.h"
#include "profiler/trace/trace.h"

#include <stdbool.h>
#include <unistd.h>

/* Of an object that is made here: no other process makes the same. */
static inline uint64_t shared_object_new(void)
{
    return PCOMP_EVENT_SHARED | ((uint64_t)getpid() & 0x3fffff) << 32 | (trace_token() & 0xffffffff);
}

/* The same, of a lock: an odd name would be that of one taken for reading. */
static inline uint64_t shared_object_new_lock(void)
{
    uint64_t name;
    do
        name = shared_object_new();
    while (name & 1);
    return name;
}

/* An object was initialised; not from a signal handler. `any`: set where one is shared. */
static inline void shared_object_put(struct address_table *table, bool *any, const void *address, bool shared)
{
    if (shared)
        __atomic_store_n(any, true, __ATOMIC_RELAXED);
    if (shared || (*any && address_table_get(table, address)))
        address_table_put(table, address, shared ? shared_object_new_lock() : 0);
}

#endif
