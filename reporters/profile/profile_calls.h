/* Calls of the functions of a profile, from its counters (PCOMP_CHUNK_COUNTS) and, of functions that were sampled, from
 * its windows (PCOMP_CHUNK_WINDOWS). */
#ifndef PCOMP_PROFILE_CALLS_H
#define PCOMP_PROFILE_CALLS_H

#include "reporters/profile/profile_file.h"

struct profile_calls {    /* of one function of the file */
    uint64_t live, ended; /* counters of threads that live, and that ended */
    uint64_t inexact;     /* counters without locks: of threads that have no time in the profile */
    uint64_t timed;       /* calls on call paths, open ones included: the caller's to fill */
    uint64_t unsure;      /* counted while it was sampled, of which the windows tell */
    double estimated;     /* calls known from windows */
    double variance;
};

/* Adds to `calls`, one for each function of the file, zeroed by the caller. */
void profile_calls_read(const struct profile_file *f, struct profile_calls *calls);

/* Calls of a function, as far as counters and windows tell. */
uint64_t profile_calls_all(const struct profile_calls *calls);

#endif
