/* Levels: which functions stay timed and which are only counted from now on, by how often they were called.
 *
 * Rare functions are timed: an allowance of some calls at once and so many a second, and less where all timed calls
 * together would cost more than a share of the time. Pure; thread-safe. */
#ifndef PCOMP_LEVEL_ALLOWANCE_H
#define PCOMP_LEVEL_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#define PCOMP_LEVEL_RATE  1000.0 /* calls a second that a function may have and stay timed */
#define PCOMP_LEVEL_BURST 200.0  /* calls that it may have besides, at any time */
#define PCOMP_LEVEL_SHARE 0.01   /* of the time that all timed calls together may cost ... */
#define PCOMP_LEVEL_START 0.0005 /* ... and seconds besides */

/* The greatest number of calls since the start with which a function stays timed. calls[i] are those of the i-th
 * function since then, timed[i] whether it is timed; `seconds` since the start; `cost` of one timed call, seconds. */
double pcomp_levels_allowance(const uint64_t *calls, const bool *timed, uint32_t count, double seconds, double cost);

#endif
