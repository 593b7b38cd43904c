/* Which location works on which unit of a loop, when the loop is scheduled by a known policy: the knowledge that makes
 * an approximation liberal (1991 §4, §4.4). Pure. */
#ifndef PCOMP_SCHEDULE_H
#define PCOMP_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schedule_policy {
    SCHEDULE_DYNAMIC, /* the location that is free first takes the next `chunk` units */
    SCHEDULE_GUIDED,  /* the same, with chunks of ceil(remaining / locations), not below `chunk` */
    SCHEDULE_STATIC   /* blocks of consecutive units, the first ones longer by one; with a chunk, chunks in turn */
};

struct schedule {
    enum schedule_policy policy;
    size_t chunk; /* units; 0: none was given (1 for dynamic and guided, blocks for static) */
};

/* How many units a location takes at a time when so many remain (at least one); static: 1, as nothing is taken. */
size_t schedule_chunk(const struct schedule *schedule, size_t remaining, uint32_t locations);

/* Assigns `count` units, in the order in which they are dispatched, to `locations` (at least one). costs: ticks of each
 * unit, what dispatching it takes included. ready: by location, tick at which it is free for its first unit; afterwards
 * for another one. assigned: by unit, its location. Of locations that are free at the same time the one with the lowest
 * index comes first. False: out of memory, nothing is assigned. Thread-safe. */
bool schedule_assign(const struct schedule *schedule, const uint64_t *costs, size_t count, uint64_t *ready,
                     uint32_t locations, uint32_t *assigned);

#endif
