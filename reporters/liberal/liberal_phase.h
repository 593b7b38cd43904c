/* One phase of a loop: the segments of those locations that meet at its end. Its units are dispatched again, in the
 * order in which they were as measured, to the locations that the policy names (compensation/replay/schedule.h).
 *
 * A unit moves with what lies between it and the unit before it: that is what dispatching it took. Before the first
 * unit of a location and behind its last, everything stays. */
#ifndef PCOMP_LIBERAL_PHASE_H
#define PCOMP_LIBERAL_PHASE_H

#include "compensation/replay/schedule.h"
#include "reporters/liberal/liberal_output.h"
#include "reporters/liberal/liberal_segment.h"

struct liberal_member {
    struct liberal_location *location;
    struct liberal_output *output;
};

struct liberal_counts {
    uint64_t phases, units, moved; /* moved: to another location */
};

/* Writes the segments of all members, with the events that end them. False after writing to error. */
bool liberal_phase_write(const struct schedule *schedule, const struct liberal_member *members, uint32_t count,
                         struct liberal_counts *counts, char *error, size_t error_size);

/* Writes the segment of a member as it is. False with errno. */
bool liberal_phase_copy(const struct liberal_member *member);

#endif
