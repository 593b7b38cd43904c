/* Until when a function waits. */
#ifndef PCOMP_DEADLINE_H
#define PCOMP_DEADLINE_H

#include <stdbool.h>
#include <time.h>

#define ITS_CLOCK (-1) /* the clock in the attributes of what is waited for */

struct deadline {
    clockid_t clock;
    const struct timespec *at;
};

/* False: libc refuses it with EINVAL before it looks at anything else. */
static inline bool deadline_is_valid(const struct deadline *d)
{
    return (d->clock == CLOCK_REALTIME || d->clock == CLOCK_MONOTONIC || d->clock == ITS_CLOCK) && d->at &&
           d->at->tv_nsec >= 0 && d->at->tv_nsec < 1000000000;
}

#endif
