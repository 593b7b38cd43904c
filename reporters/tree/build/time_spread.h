/* How the times of activations are distributed: how many were in each bucket (compensation/numeric/log_buckets.h). The
 * places of buckets ascend with their times. Units are those of the tree: call_tree.spread_unit nanoseconds.
 *
 * A slot is NULL while it has none, and allocates nothing for a single activation. Functions return false when memory
 * ran out; the slot is as it was then. */
#ifndef PCOMP_TIME_SPREAD_H
#define PCOMP_TIME_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct time_spread;

bool time_spread_put(struct time_spread **slot, uint32_t place, uint64_t count);
bool time_spread_add(struct time_spread **slot, const struct time_spread *from);
void time_spread_free(struct time_spread **slot);

uint64_t time_spread_total(const struct time_spread *spread);

/* The first place from `place` on that has activations, *count of them; UINT32_MAX: none. */
uint32_t time_spread_next(const struct time_spread *spread, uint32_t place, uint64_t *count);

/* The place of a time, ns; the middle of the times of a place, ns. */
uint32_t time_spread_place(double time, double unit);
double time_spread_middle(uint32_t place, double unit);

/* The least time, ns, that a share of the activations (0 < share <= 1) did not exceed, known to a sixteenth of it and
 * 8 ticks; within [least, greatest] where these are numbers. NAN: there are no activations. */
double time_spread_quantile(const struct time_spread *spread, double unit, double share, double min, double greatest);

#endif
