#include "reporters/replay/replay_job.h"

#include "reporters/base/message.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/launch/record_directory.h"
#include "reporters/profile/replay_info.h"
#include "reporters/replay/drive/replay_workers.h"
#include "reporters/replay/ending_signals.h"
#include "reporters/replay/replay_cores.h"
#include "reporters/replay/replay_profile.h"
#include "reporters/replay/waiting_file.h"
#include "reporters/trace/event_places.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CUTS_MAX = 1000 };

static const char *const bound_names[] = {"lower", "upper", "model"}; /* by enum replay_comm */

/* --- Opening --------------------------------------------------------------------------------------------------------
 */

/* Of the measured execution; 0: not known, or enough for all. Ranks are taken to have processors of their own: they may
 * be bound, or run on several machines. */
static uint32_t processors_of(const struct trace_directory *traces)
{
    uint32_t min = UINT32_MAX, first = 0;
    for (uint32_t i = 0; i < traces->count; i++) {
        const struct trace_location *l = &traces->locations[i];
        if (i + 1 < traces->count && (l->file->header.rank < 0 || l[1].process == l->process))
            continue;
        for (uint32_t k = first; k <= i; k++) {
            uint32_t processors = traces->locations[k].file->header.processors;
            min = processors <= i - first && processors < min ? processors : min;
        }
        first = i + 1;
    }
    return min < UINT32_MAX ? min : 0;
}

bool replay_job_open(struct replay_job *job)
{
    char error[1024];
    job->salvaged_before = UINT64_MAX;
    if (!trace_directory_open(job->dir, job->salvage, &job->traces, error, sizeof error)) {
        bool damaged = !job->salvage && strstr(error, ": offset 0x");
        message_failure("%s%s", error, damaged ? " (--salvage replays what is whole)" : "");
        return false;
    }
    for (uint32_t i = 0; i < job->traces.count; i++)
        job->options.partial |=
            job->traces.locations[i].file->first_event || job->traces.locations[i].file->header.lost;
    job->options.processors = processors_of(&job->traces);
    job->options.clock_error = job->traces.clock_error;
    job->functions = trace_functions_open();
    bool shared = replay_share_locations(&job->traces, job->peers, &job->others);
    if (shared && job->functions && trace_functions_add(job->functions, &job->traces) == 0)
        return true;
    message_no_memory("replay");
    return false;
}

void replay_job_close(struct replay_job *job)
{
    for (int i = 0; i < 3; i++)
        replay_outcome_free(&job->outcomes[i], job->traces.count);
    what_if_close(&job->what_if);
    trace_functions_close(job->functions);
    trace_directory_close(&job->traces);
    free(job->others);
    if (job->is_guest)
        free(job->temporary);
    else
        scratch_dir_remove(job->temporary);
    ending_signals_return();
}

/* --- Salvaging: the longest prefix, in time, in which nothing is wrong ----------------------------------------------
 */

/* Tick of an event; UINT64_MAX not found. */
static uint64_t time_of(const struct replay_job *job, uint32_t location, uint64_t event)
{
    struct event_place place = {.location = location, .event = event};
    event_places_find(&job->traces, NULL, &place, 1);
    return place.found ? place.time : UINT64_MAX;
}

/* Where the traces must be cut, after a run; UINT64_MAX nowhere. */
static uint64_t cut_of(const struct replay_job *job, const struct replay_outcome *outcome)
{
    uint64_t cut = UINT64_MAX;
    if (outcome->end == REPLAY_BAD_INPUT && outcome->result.error_location < job->traces.count)
        cut = time_of(job, outcome->result.error_location, outcome->result.error_event);
    if (replay_job_lacks_cause(job, outcome))
        cut = outcome->missing.measured[0];
    for (uint32_t i = 0; i < job->traces.count; i++) {
        const struct path_tree *tree = &outcome->trees[i];
        uint64_t last = tree->last + tree->own;
        /* behind its last good event nothing is known of this location */
        if (outcome->ends_early[i] && tree->event && last + 1 < cut)
            cut = last + 1;
    }
    return cut;
}

bool replay_job_drive(struct replay_job *job, struct replay_request *request, struct replay_outcome *outcome)
{
    for (int cuts = 0;; cuts++) {
        request->before = job->salvaged_before;
        bool good = replay_drive(request, outcome) && !replay_job_lacks_cause(job, outcome);
        uint64_t cut = job->salvage && !outcome->interrupted ? cut_of(job, outcome) : UINT64_MAX;
        if (cut >= job->salvaged_before || cuts == CUTS_MAX)
            return good;
        job->salvaged_before = cut;
        replay_outcome_free(outcome, job->traces.count);
    }
}

/* What there is one of for all peers is done by the first. */
static bool is_first(const struct replay_job *job)
{
    return replay_peers_rank(job->peers) == 0;
}

/* --- One data directory ---------------------------------------------------------------------------------------------
 */

static void say_how(const struct replay_job *job, enum replay_comm bound, bool messages, struct replay_info *info)
{
    static const char *const barriers[] = {"after", "beta", "sequential", "logarithmic"};
    static const char *const receives[] = {"preserve", "fifo", "lifo"};
    char *measured = realpath(job->dir, NULL);
    messages &= job->options.model == REPLAY_EVENT;
    snprintf(info->measured, sizeof info->measured, "%s", measured ? measured : job->dir);
    free(measured);
    snprintf(info->model, sizeof info->model, "%s", job->options.model == REPLAY_TIME ? "time" : "event");
    snprintf(info->bound, sizeof info->bound, "%s", messages ? bound_names[bound] : "-");
    size_t used = (size_t)snprintf(info->how, sizeof info->how, "%s", info->model);
    if (job->options.model == REPLAY_EVENT)
        used +=
            (size_t)snprintf(info->how + used, sizeof info->how - used, ", barrier %s", barriers[job->options.barrier]);
    if (messages)
        used += (size_t)snprintf(info->how + used, sizeof info->how - used, ", receive %s, comm %s",
                                 receives[job->options.receive], bound_names[bound]);
    if (job->cores && used < sizeof info->how)
        used += (size_t)snprintf(info->how + used, sizeof info->how - used, ", %" PRIu32 " processor%s", job->cores,
                                 job->cores == 1 ? "" : "s");
    if (job->what_if.text && used < sizeof info->how)
        used += (size_t)snprintf(info->how + used, sizeof info->how - used, ", what if %s", job->what_if.text);
    if (job->liberal.text && used < sizeof info->how) {
        snprintf(info->liberal, sizeof info->liberal, "%s", job->liberal.text);
        snprintf(info->how + used, sizeof info->how - used, ", liberal: %s", job->liberal.text);
    }
}

static double share_of(double half_width, double time)
{
    return half_width < time ? half_width / time : half_width > 0;
}

/* What is not known of the total, and of which parts of it. */
static void say_uncertainty(const struct trace_directory *traces, const struct replay_result *result,
                            struct replay_info *info)
{
    const struct replay_path *path = &result->critical_path;
    double total = fmax((double)result->approximated, 0), speed = replay_job_speed(traces, result);
    info->uncertainty =
        total > 0 ? share_of(hypot(replay_uncertainty(path), replay_job_machine(traces, result)), total) : 1;
    info->removal = share_of(replay_removal_uncertainty(path), fabs((double)path->removed));
    info->outside = share_of(hypot(replay_outside_uncertainty(path), speed), total);
}

/* Each peer's waits behind those of the peers before it. False: failed, maybe elsewhere, then error is empty. */
static bool write_waiting(struct replay_job *job, const struct replay_outcome *outcome, const char *to, char *error,
                          size_t error_size)
{
    bool good = true;
    *error = 0;
    for (int turn = 0; good && turn < replay_peers_count(job->peers); turn++) {
        if (turn == replay_peers_rank(job->peers))
            good = waiting_file_write(to, &job->traces, outcome, job->functions, turn > 0, error, error_size);
        good = good && replay_peers_wait(job->peers);
    }
    return good;
}

/* Both passes of a liberal approximation, which is in the directories `conservative` and `between` meanwhile. What the
 * first one found fault with is what the user is told: its events are those that were measured. */
static int drive_in_passes(struct replay_job *job, struct replay_request request, struct replay_outcome *outcome,
                           const char *conservative, const char *between)
{
    struct trace_directory remapped = {0};
    struct replay_outcome first = {0};
    char error[1200];
    uint64_t begin, end;
    const char *to = request.write_to;
    request.write_to = conservative;
    request.options.constant_alpha = true;
    bool good = replay_job_drive(job, &request, &first);
    int status = good ? STATUS_DONE : replay_job_failure(job, &first);
    if (good && (!trace_functions_gather(job->functions, 0, &job->traces, &begin, &end, error, sizeof error) ||
                 !trace_functions_resolve(job->functions, NULL, NULL) ||
                 !liberal_remap(&job->traces, job->functions, conservative, &job->liberal, between, &remapped,
                                &job->remapped, error, sizeof error)))
        status = message_failure("%s", error);
    if (!status) {
        request.write_to = to;
        request.traces = &remapped;
        if (!replay_drive(&request, outcome))
            status = replay_job_failure(job, outcome);
        memcpy(outcome->violations, first.violations, sizeof first.violations);
        outcome->violation_count = first.violation_count;
    }
    liberal_remap_close(&remapped);
    replay_outcome_free(&first, job->traces.count);
    return status;
}

static int drive_liberal(struct replay_job *job, const struct replay_request *request, struct replay_outcome *outcome)
{
    char *conservative = NULL, *between = NULL;
    int status = STATUS_BAD;
    if (asprintf(&conservative, "%s/conservative", job->temporary) < 0 ||
        asprintf(&between, "%s/between", job->temporary) < 0)
        message_no_memory("replay");
    else if (mkdir(conservative, 0777) != 0 || mkdir(between, 0777) != 0)
        message_failure("%s: cannot be written: %s", job->temporary, strerror(errno));
    else
        status = drive_in_passes(job, *request, outcome, conservative, between);
    scratch_dir_remove(conservative);
    scratch_dir_remove(between);
    return status;
}

/* Those of one machine share its processors; each has those it is bound to, where mpirun has bound it. */
static unsigned jobs_of(const struct replay_job *job)
{
    unsigned jobs = job->jobs ? job->jobs : replay_workers_processors() / (unsigned)replay_peers_count(job->peers);
    return jobs ? jobs : 1;
}

static struct replay_request request_of(struct replay_job *job, enum replay_comm bound)
{
    struct replay_request request = {.traces = &job->traces,
                                     .options = job->options,
                                     .jobs = jobs_of(job),
                                     .stop = job->stop,
                                     .progress = is_first(job) ? "replaying (%)" : NULL,
                                     .bytes =
                                         trace_directory_bytes(&job->traces) / (uint64_t)replay_peers_count(job->peers),
                                     .peers = job->peers,
                                     .others = job->others};
    request.options.comm = bound;
    request.options.wakes = job->what_if.factors ? &job->what_if.wakes : NULL;
    memcpy(request.run_id, job->run_id, sizeof request.run_id);
    return request;
}

static void suppose(struct replay_request *request, struct what_if *what_if)
{
    request->options.own_time = what_if ? what_if_own_time : NULL;
    request->options.own_time_context = what_if;
}

static int drive_again(void *job, struct replay_request *request, struct replay_outcome *outcome)
{
    return replay_job_drive(job, request, outcome) ? STATUS_DONE : replay_job_failure(job, outcome);
}

static int drive_part(struct replay_job *job, struct replay_request *request, struct replay_outcome *outcome)
{
    if (job->liberal.text)
        return drive_liberal(job, request, outcome);
    if (job->cores)
        return replay_on_cores(request, job->cores, outcome, drive_again, job);
    return replay_job_drive(job, request, outcome) ? STATUS_DONE : replay_job_failure(job, outcome);
}

int replay_job_total(struct replay_job *job, struct what_if *what_if, struct replay_outcome *outcome)
{
    struct replay_request request = request_of(job, job->options.comm);
    *outcome = (struct replay_outcome){0};
    suppose(&request, what_if);
    int status = drive_part(job, &request, outcome);
    for (uint32_t i = 0; !status && !what_if && i < job->traces.count; i++)
        what_if_add_unrecorded(&job->what_if, job->traces.locations[i].process, &outcome->trees[i]);
    return status;
}

int replay_job_ask(struct replay_job *job)
{
    char error[1200];
    uint64_t begin, end;
    if (!trace_functions_gather(job->functions, 0, &job->traces, &begin, &end, error, sizeof error))
        return message_failure("%s", error);
    if (!trace_functions_resolve(job->functions, NULL, NULL) || !what_if_open(&job->what_if, job->functions))
        return message_no_memory("replay");
    if (*job->what_if.name && !what_if_choose(&job->what_if))
        return message_failure("%s: no function '%s' in the traces (pcomp report lists those that there are)", job->dir,
                               job->what_if.name);
    return STATUS_DONE;
}

/* Replays under one bound, and completes the data directory `to`. Returns an exit status. */
static int make_part(struct replay_job *job, enum replay_comm bound, const char *to)
{
    struct replay_outcome *outcome = &job->outcomes[bound];
    struct replay_request request = request_of(job, bound);
    struct replay_info info = {0};
    char error[1024], id[33];
    request.write_to = job->out ? to : NULL;
    if (job->what_if.text)
        suppose(&request, &job->what_if);
    int status = drive_part(job, &request, outcome);
    if (status)
        return status;
    say_how(job, bound, outcome->has_messages, &info);
    say_uncertainty(&job->traces, &outcome->result, &info);
    if (!replay_profiles_write(&job->traces, outcome, job->run_id, info.how, to, error, sizeof error))
        return message_failure("%s", error);
    if (job->out && !write_waiting(job, outcome, to, error, sizeof error))
        return *error ? message_failure("%s", error) : STATUS_BAD;
    if (!is_first(job))
        return STATUS_DONE;
    if (!record_directory_write_run(to, job->run_id, id) || !replay_info_write(to, &info))
        return message_failure("%s: cannot be written: %s", to, strerror(errno));
    return STATUS_DONE;
}

/* --- All of it ------------------------------------------------------------------------------------------------------
 */

/* The directory under which the parts are made, beside the one they will be. */
static int make_temporary(struct replay_job *job)
{
    size_t length = strlen(job->out);
    while (length > 1 && job->out[length - 1] == '/')
        length--;
    for (int i = 0; i < 100; i++) {
        if (asprintf(&job->temporary, "%.*s.%d-%d.tmp", (int)length, job->out, getpid(), i) < 0) {
            job->temporary = NULL;
            return message_no_memory("replay");
        }
        if (mkdir(job->temporary, 0777) == 0)
            return STATUS_DONE;
        if (errno != EEXIST)
            message_failure("%s: cannot be created: %s (give another place with -o)", job->out, strerror(errno));
        bool there = errno == EEXIST;
        free(job->temporary);
        job->temporary = NULL;
        if (!there)
            return STATUS_BAD;
    }
    return message_failure("%s: is being written by too many (give another name with -o)", job->out);
}

static int make_part_in(struct replay_job *job, enum replay_comm bound)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", job->temporary, bound_names[bound]);
    if (is_first(job) && mkdir(path, 0777) != 0)
        return message_failure("%s: cannot be created: %s", path, strerror(errno));
    return replay_peers_wait(job->peers) ? make_part(job, bound, path) : STATUS_BAD;
}

/* The file that makes the directory above the bounds one of pcomp's. */
static int complete_bounds(struct replay_job *job)
{
    struct replay_info info = {0};
    char id[33];
    say_how(job, REPLAY_COMM_MODEL, false, &info);
    snprintf(info.bound, sizeof info.bound, "all");
    if (!record_directory_write_run(job->temporary, job->run_id, id) || !replay_info_write(job->temporary, &info))
        return message_failure("%s: cannot be written: %s", job->temporary, strerror(errno));
    return STATUS_DONE;
}

/* Puts what was made to its place, when all have done their part. */
static int put(const struct replay_job *job, const char *made)
{
    if (!replay_peers_wait(job->peers))
        return STATUS_BAD;
    return !is_first(job) || record_directory_put(made, job->out) ? STATUS_DONE : STATUS_BAD;
}

static int refuse_unrecorded(const struct replay_job *job)
{
    uint32_t function = what_if_find_unrecorded(&job->what_if);
    if (function == UINT32_MAX)
        return STATUS_DONE;
    return message_failure("%s: --what-if: calls of %s were counted and not recorded, their time is their callers' "
                           "(pcomp record --trace --trace-all records every call)",
                           job->dir, trace_functions_name(job->functions, function));
}

/* How long the program as it is would take, to compare with. */
static int find_without(struct replay_job *job)
{
    struct replay_outcome outcome = {0};
    int status = replay_job_ask(job);
    if (!status)
        status = replay_job_total(job, NULL, &outcome);
    job->what_if.without = outcome.result.approximated;
    replay_outcome_free(&outcome, job->traces.count);
    return status ? status : refuse_unrecorded(job);
}

static int make_all(struct replay_job *job)
{
    char made[4300];
    enum replay_comm first = job->bound_given ? job->options.comm : REPLAY_COMM_MODEL;
    job->options.comm = first;
    int status = job->what_if.text ? find_without(job) : STATUS_DONE;
    if (status)
        return status;
    snprintf(made, sizeof made, "%s/%s", job->temporary, bound_names[first]);
    status = make_part_in(job, first);
    if (status)
        return status;
    job->bounds = !job->bound_given && job->options.model == REPLAY_EVENT && job->outcomes[first].has_messages;
    if (!job->bounds)
        return put(job, made);
    for (int bound = REPLAY_COMM_LOWER; !status && bound <= REPLAY_COMM_UPPER; bound++)
        status = make_part_in(job, (enum replay_comm)bound);
    status = status || !is_first(job) ? status : complete_bounds(job);
    return status ? status : put(job, job->temporary);
}

/* The directory would be moved away under the replay that reads it. */
static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What all peers have to know of what is made. */
struct begun {
    uint8_t run_id[16];
    char temporary[4300];
};

static int begin(struct replay_job *job)
{
    if (is_same(job->dir, job->out))
        return message_failure("%s: is the directory that is replayed (give another one with -o)", job->out);
    if (!record_directory_check(job->out))
        return STATUS_BAD;
    if (!record_directory_new_id(job->run_id))
        return message_failure("replay: no random numbers: %s", strerror(errno));
    return make_temporary(job);
}

static void take_begun(void *context, int rank, const void *theirs, size_t size)
{
    struct replay_job *job = context;
    const struct begun *begun = theirs;
    if (rank != 0 || size != sizeof *begun)
        return;
    memcpy(job->run_id, begun->run_id, sizeof job->run_id);
    job->temporary = strdup(begun->temporary);
    job->is_guest = true;
}

/* Tells the peers of it, or hears of it. */
static int agree(struct replay_job *job)
{
    struct begun begun = {.temporary = ""};
    memcpy(begun.run_id, job->run_id, sizeof begun.run_id);
    if (job->temporary)
        snprintf(begun.temporary, sizeof begun.temporary, "%s", job->temporary);
    if (!replay_peers_exchange(job->peers, &begun, sizeof begun, take_begun, job))
        return STATUS_BAD;
    return job->temporary ? STATUS_DONE : message_no_memory("replay");
}

int replay_job_run(struct replay_job *job)
{
    ending_signals_take();
    int status = is_first(job) ? begin(job) : STATUS_DONE;
    if (!status && job->peers)
        status = agree(job);
    if (status)
        return status;
    return make_all(job);
}

int replay_job_profiles(struct replay_job *job, const char *to)
{
    memcpy(job->run_id, job->traces.locations[0].file->header.run_id, sizeof job->run_id);
    return make_part(job, job->options.comm, to);
}
