/* A whole replay: of the traces of one directory, under one model or, where messages are involved, its lower bound, its
 * upper bound and the modelled one in turn, into data directories. */
#ifndef PCOMP_REPLAY_JOB_H
#define PCOMP_REPLAY_JOB_H

#include "reporters/liberal/liberal_remap.h"
#include "reporters/replay/drive/replay_drive.h"
#include "reporters/replay/what_if.h"
#include "reporters/trace/trace_functions.h"

#include <math.h>

struct replay_job {
    /* asked for */
    const char *dir, *out; /* out NULL: profiles alone are wanted (replay_job_profiles) */
    struct replay_options options;
    bool bound_given; /* only options.comm is wanted */
    bool stop, salvage;
    unsigned jobs; /* threads; 0: as many as there are processors */
    struct liberal_option liberal;
    struct what_if what_if;
    uint32_t cores;             /* processors of the approximated execution; 0: one for each location */
    struct replay_peers *peers; /* with whom the work is shared; NULL: with nobody */
    /* found */
    struct trace_directory traces;
    struct trace_functions *functions;
    struct replay_outcome outcomes[3]; /* by enum replay_comm; those not run are empty */
    struct liberal_counts remapped;    /* with liberal.text; of the last outcome */
    bool bounds;                       /* all three were run */
    uint64_t salvaged_before;          /* salvage: only events before this tick; UINT64_MAX all */
    bool *others;                      /* by location: left to a peer; NULL: none is */
    char *temporary;                   /* what is being made, below another name */
    bool is_guest;                     /* that is another peer's to remove */
    uint8_t run_id[16];
};

/* Opens the traces of job->dir. False after a message. In both cases replay_job_close frees what there is. */
bool replay_job_open(struct replay_job *job);
void replay_job_close(struct replay_job *job);

/* Replays, and puts the result to job->out, an older one there to OUT.old. Returns an exit status, after a message if
 * it is not 0; then nothing has changed. */
int replay_job_run(struct replay_job *job);

/* Replays and writes only profiles, into the existing directory `to`. Returns an exit status, as above. */
int replay_job_profiles(struct replay_job *job, const char *to);

/* Runs a request; under salvage again and again, with less, until it succeeds. */
bool replay_job_drive(struct replay_job *job, struct replay_request *request, struct replay_outcome *outcome);

/* Replays once more and writes nothing, with what_if or (NULL) as the program is, which fills what_if.unrecorded.
 * Returns an exit status, after a message if it is not 0; the outcome is to be freed in any case. */
int replay_job_total(struct replay_job *job, struct what_if *what_if, struct replay_outcome *outcome);

/* Makes names, and what_if's factors, known; with a name, chooses its functions. Returns an exit status, as above. */
int replay_job_ask(struct replay_job *job);

/* An event waits for what is not in the traces, although nothing of them is known to be missing. */
bool replay_job_lacks_cause(const struct replay_job *job, const struct replay_outcome *outcome);

/* Says why a replay failed; returns an exit status. */
int replay_job_failure(struct replay_job *job, const struct replay_outcome *outcome);

/* What was not kept as measured, fixed-point ticks. */
static inline double replay_job_computing(const struct replay_result *result)
{
    int64_t computing = result->approximated - result->critical_path.external;
    return computing > 0 ? (double)computing : 0;
}

/* By how much a run of that total may differ from the next on the machine of the traces, half-width, fixed-point
 * ticks; and from that of the program without sites, too. */
static inline double replay_job_speed(const struct trace_directory *traces, const struct replay_result *result)
{
    return traces->speed * replay_job_computing(result);
}

static inline double replay_job_machine(const struct trace_directory *traces, const struct replay_result *result)
{
    return hypot(traces->speed, traces->layout) * replay_job_computing(result);
}

/* The outcome whose times are the value, between those of lower and upper (which are the same where there is one). */
static inline const struct replay_outcome *replay_job_value(const struct replay_job *job)
{
    return &job->outcomes[job->bounds ? REPLAY_COMM_MODEL : job->options.comm];
}

static inline const struct replay_outcome *replay_job_bound(const struct replay_job *job, enum replay_comm bound)
{
    return job->bounds ? &job->outcomes[bound] : replay_job_value(job);
}

/* Earliest measured tick. */
uint64_t replay_job_begin(const struct replay_job *job);

/* "rank 0, event 7 (...) at ... against rank 1, event 3 (...) at ...": a kept violation, into buffer. */
void replay_job_violation(struct replay_job *job, const struct replay_violation *violation, char *buffer, size_t size);

#endif
