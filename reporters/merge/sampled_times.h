/* Times of the call paths of a profile in which every call was counted and a random few were timed
 * (PCOMP_FLAG_SAMPLED): compensation/in_situ.h applied to the nodes of one file, summed over its trees.
 *
 * Raw times are derived the other way round: what the clock said with the measurement is known of a thread as a whole;
 * less its compensated time and the time inside stamped hooks it is what its calls cost, all of them the same. Half of
 * that lies in the call's own time, all of it in its ancestors', and so do the hooks' ticks. */
#ifndef PCOMP_SAMPLED_TIMES_H
#define PCOMP_SAMPLED_TIMES_H

#include "reporters/merge/sample_places.h"
#include "reporters/open_activations.h"
#include "reporters/profile_file.h"

struct sampled_node { /* ns, ns^2; of a filtered function no times */
    uint32_t thread;  /* in profile_file.threads */
    double calls;     /* open ones included; estimates where hooks were off most of the time */
    double ended;     /* without them */
    double calls_variance;
    double calls_unseen; /* the same, of calls that no burst met */
    bool counted; /* all calls of the function were, also while hooks were off: theirs add up to what they were */
    double raw, compensated; /* inclusive */
    double hook;             /* time inside stamped hooks of this path, in every ancestor */
    double inclusive_variance, exclusive_variance;
};

struct sampled_thread {    /* ns */
    double call;           /* of one call: all of it in every ancestor, half of it in its own time */
    double call_error;     /* systematic, of the calibrated part */
    double events, timed;  /* numbers of segments, and of those that were timed */
    double counted_events; /* without a stamp */
    double run_ticks;      /* actual time of its whole run, ticks */
    double seen;           /* share of that in which hooks were on */
    double counted_call;   /* what one counted call cost here, */
    double filtered_call;  /* and one of a filtered function */
    double pc_samples;     /* samples of the program counter that tell where it was while hooks were off */
    /* sums, while they are made: ticks, calls */
    double overhead, run_calls, error, seen_ticks;
};

struct sampled_times {
    struct sampled_node *nodes;     /* by index in the file; 0 of those that lead to no thread, and of roots */
    struct sampled_thread *threads; /* parallel to profile_file.threads */
    bool in_place;                  /* what a counted call costs was measured while the program ran */
    double fetching;                /* what of that is the fetching of its path */
};

/* tick_ns: ns of a tick; skip_ticks: what a filtered call costs. False: out of memory. */
bool sampled_times_find(const struct profile_file *file, const struct open_activations *open,
                        const struct sample_places *places, double tick_ns, double skip_ticks,
                        struct sampled_times *out);
void sampled_times_free(struct sampled_times *times);

#endif
