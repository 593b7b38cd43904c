/* What finding the times of a SAMPLED profile needs to know of it. Internal to sampled_times.c, sample_times.c,
 * burst_calls.c and burst_times.c. */
#ifndef PCOMP_SAMPLED_STATE_H
#define PCOMP_SAMPLED_STATE_H

#include "compensation/burst.h"
#include "compensation/in_situ.h"
#include "reporters/merge/sample_places.h"
#include "reporters/merge/sampled_times.h"

/* What a node says of the phases in which every call was counted, or of the bursts; of a profile without bursts, all.
 */
struct part {
    double calls, open; /* ended, and begun but not ended */
    struct pcomp_kind enters, exits;
    double hook_ticks, counted_ticks, counted_events;
};

struct path { /* what is known of a node while the times of a part are found; ticks, ticks^2 */
    const struct pcomp_node_sampled *node;
    const struct pcomp_node_extra *extra;
    uint32_t parent;         /* index */
    uint32_t around, within; /* regions: of its segments, and of what it calls */
    uint32_t thread;         /* in profile_file.threads, or PATH_... */
    bool filtered;           /* its time is its parent's own; in old files its calls are no events, either */
    bool segments;           /* has some; calls beyond a limit are counted in one node, wherever they were */
    double open;             /* activations, in the end */
    struct part part;
    double calls;                       /* in this part, open ones included; of one without segments, none */
    struct pcomp_burst_count run;       /* calls that these stand for */
    double unseen;                      /* variance of these where no burst met it */
    double enter_time, exit_time;       /* compensated, of its segments */
    double inclusive, exclusive, below; /* compensated; what all calls below cost it */
    struct {
        double enter, exit;          /* of its segments, from burst to burst */
        double inclusive, exclusive; /* sums, as if all were off in one direction */
    } deviation;                     /* 0 but in the part of bursts */
    struct {
        double brief, variance; /* of the untimed in the region within */
    } inside, own;              /* inclusive, exclusive */
};

struct sampling {
    const struct profile_file *file;
    struct path *paths;
    uint32_t *order; /* parents before children, without roots */
    uint32_t order_count;
    struct thread_state {
        struct pcomp_timed sampled; /* of all its paths */
        struct pcomp_region sums;
        struct pcomp_correction correction;
        double calls, compensated;
        double hook_ticks, off; /* of this part */
        double run_calls;       /* calls that those stand for */
        double scale;           /* of its times */
        double call_ticks;      /* what one of those calls costs */
        double calls_scale;     /* of its calls, in the mean */
        double before;          /* compensated time of the part before */
        double stands, squares; /* what its bursts stand for, and the squares; 0: it saw none */
        double sampling;        /* what samples of its program counter took */
        double pc_samples;      /* of these, those that tell where it was */
    } * threads;                /* parallel to profile_file.threads */
    struct region {             /* what runs inside a path that is timed always, or a root, down to the next */
        uint32_t thread;
        struct pcomp_region sums;
        struct pcomp_correction correction;
    } * regions;
    uint32_t region_count;
    struct pcomp_counting counting;
    bool in_place;   /* it was measured while the program ran */
    double fetching; /* what of a call's cost is the fetching of its path, ticks */
    double twin;     /* by how much another run, of another build, takes longer or shorter; share, standard deviation */
    struct pcomp_burst_slowness slowness;
    struct held_share *held; /* sorted by function */
    uint32_t held_count;
    bool burst;       /* hooks were off: there are two parts */
    bool bursts;      /* the part is that of bursts */
    double gap_scale; /* of threads with few bursts */
};

static inline double square(double x)
{
    return x * x;
}

/* --- calls that bursts stand for (burst_calls.c) --- */

/* Reads what is known before the part of bursts is looked at. False: out of memory. */
bool burst_calls_prepare(struct sampling *s);

/* The calls that those of all paths stand for; for any part. */
void burst_calls_find(struct sampling *s);

/* Whether all calls of the path's function were counted. */
bool burst_calls_are_counted(const struct sampling *s, const struct path *p);

/* --- times by samples of the program counter (sample_times.c) --- */

/* After burst_times_find of all paths. False: out of memory. */
bool sample_times_apply(struct sampling *s, const struct sample_places *places);

/* --- times that bursts stand for (burst_times.c) --- */

/* Those of all threads' bursts. */
void burst_times_prepare(struct sampling *s);

/* The times and deviations of a path's segments, of which the bursts know enter and exit. */
void burst_times_find(const struct sampling *s, struct path *p, const struct pcomp_kind_time *enter,
                      const struct pcomp_kind_time *exit);

/* Variances of the times of a path that is complete, before the times are scaled. */
double burst_times_inclusive_variance(const struct sampling *s, const struct path *p);
double burst_times_exclusive_variance(const struct sampling *s, const struct path *p);

#endif
