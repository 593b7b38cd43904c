/* The offline replay: turns measured event times into approximated ones.
 *
 * Pure: events come from and go to the caller in blocks of whole records (compensation/trace_event/event.h), which the
 * replay rewrites in place. One block a location is in memory at a time, so memory is bounded by that window, whatever
 * the length of the trace. Nothing is printed, read, written or stored in globals.
 *
 * Order: independent events are handled within their location; dependent ones over all locations in the order of their
 * measured times, which is an order in which causes come before effects. All locations' times are ticks of one clock.
 *
 * Arithmetic is in fixed point (PCOMP_FIX_SHIFT), sums are exact. A location's own time runs unclamped (alpha is a
 * mean, so some intervals are shorter); the time that is written never steps back. Approximated times that are handed
 * out count from the first event of all (replay_result.origin), as 64 bits of fixed point hold only 40 days of a fast
 * clock; a trace may last that long.
 *
 * Several replays can share one execution that is too large for one machine, with the same result to the tick: each is
 * given all locations, reads its own, and receives updates of the remote locations (struct
 * replay_update; docs/internals/replay.md says why that is the same, and why none waits for ever). */
#ifndef PCOMP_REPLAY_H
#define PCOMP_REPLAY_H

#include "compensation/replay/engine/replay_types.h"

/* Replays `count` locations. `results` has room for `count`. All memory is released at return. Thread-safe: runs on
 * different arguments are independent. */
enum replay_end replay_run(const struct replay_location *locations, uint32_t count,
                           const struct replay_options *options, const struct replay_io *io,
                           struct replay_location_result *results, struct replay_result *result);

#endif
