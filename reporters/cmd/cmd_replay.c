/* pcomp replay: from the traces of a measured execution to those of the execution as it would have been unmeasured. */
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/calibrate/comm_file.h"
#include "reporters/cmd/command.h"
#include "reporters/replay/replay_summary.h"
#include "reporters/replay/what_if_ranking.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JOBS_MAX     1024u
#define JOBS_DEFAULT UINT64_MAX
#define CORES_MAX    65536u

/* Times of the file are in ns, those of the replay in ticks. */
static void scale_messages(struct comm_model *messages, double tick_ns)
{
    struct comm_line *lines[] = {&messages->eager, &messages->rendezvous};
    for (size_t i = 0; i < 2; i++) {
        lines[i]->start /= tick_ns;
        lines[i]->per_byte /= tick_ns;
        lines[i]->residual /= tick_ns;
    }
    for (uint32_t i = 0; i < messages->copies; i++)
        messages->copy[i].time /= tick_ns;
}

/* Without what a message costs there is no modelled time, and the bounds are as wide as can be. */
static bool read_messages(const char *path, struct replay_options *options)
{
    char error[1024];
    if (!path || comm_file_read(path, &options->messages, &options->between, error, sizeof error))
        return true;
    message_failure("%s", error);
    return false;
}

static struct replay_job job;
static int model = REPLAY_EVENT, barrier = REPLAY_BARRIER_AFTER, receive = REPLAY_RECEIVE_PRESERVE, comm = -1,
           violation = 1, format = EMIT_TEXT, semaphore = REPLAY_SEMAPHORE_COUNTING;
static double actual = -1;
static uint64_t jobs = JOBS_DEFAULT, cores;
static const char *communication, *liberal, *what_if;

static int replay(void)
{
    int status = STATUS_BAD;
    if (!replay_peers_join(&job.peers))
        return STATUS_BAD;
    if (job.peers && (job.salvage || job.liberal.text || job.cores || job.what_if.text))
        status = message_misuse("replay: %s is for one process alone (start it without mpirun)",
                                job.salvage        ? "--salvage"
                                : job.liberal.text ? "--liberal"
                                : job.cores        ? "--cores"
                                                   : "--what-if");
    else if (read_messages(communication, &job.options) && replay_job_open(&job)) {
        scale_messages(&job.options.messages, job.traces.tick_ns);
        scale_messages(&job.options.between, job.traces.tick_ns);
        if (job.out) {
            status = replay_job_run(&job);
        } else {
            status = replay_job_ask(&job);
            status = status ? status : what_if_ranking(&job, (enum emit_format)format);
        }
        if (!status && job.out && replay_peers_rank(job.peers) == 0)
            status = replay_summary(&job, actual >= 0 ? actual * 1e9 : -1, (enum emit_format)format);
    }
    status = replay_peers_leave(job.peers, status);
    job.peers = NULL;
    replay_job_close(&job);
    return status;
}

static const struct option_spec specs[] = {
    {"--output", 'o', OPTION_TEXT, "DIR2", "where the approximated execution goes (an older one to DIR2.old)", &job.out,
     NULL},
    {"--model", 0, OPTION_CHOICE, "NAME", "time: each thread for itself; event (default): with who waits for whom",
     &model, "time|event"},
    {"--barrier", 0, OPTION_CHOICE, "RULE",
     "exits after the last enter as measured (after, default), or in an order that is known", &barrier,
     "after|beta|sequential|logarithmic"},
    {"--semaphore", 0, OPTION_CHOICE, "RULE",
     "counting (default), or single: no two Vs before a P where one thread posts and one takes", &semaphore,
     "counting|single"},
    {"--receive", 0, OPTION_CHOICE, "RULE", "what receives from anyone get: preserve (default), fifo or lifo", &receive,
     "preserve|fifo|lifo"},
    {"--comm", 0, OPTION_CHOICE, "BOUND", "only one of lower, upper and model (default: all, where they differ)", &comm,
     "lower|upper|model"},
    {"--communication", 0, OPTION_TEXT, "FILE", "what messages cost, from pcomp calibrate --mpi", &communication, NULL},
    {"--liberal", 0, OPTION_TEXT, "LOOP", "re-map a loop, FUNCTION=dynamic[:CHUNK]|guided[:CHUNK]|static[:CHUNK]",
     &liberal, NULL},
    {"--what-if", 0, OPTION_TEXT, "WHAT", "FUNCTION=2x: its own code twice as fast; all: each in turn, by gain",
     &what_if, NULL},
    {"--cores", 0, OPTION_COUNT, "N", "on N processors (default: one for each thread and process)", &cores, NULL},
    {"--on-violation", 0, OPTION_CHOICE, "WHAT", "log (default): adjust and go on; stop: exit with status 1",
     &violation, "stop|log"},
    {"--actual", 0, OPTION_NUMBER, "SECONDS", "what the program takes unmeasured, to compare with", &actual, NULL},
    {"--salvage", 0, OPTION_FLAG, NULL, "of damaged traces replay the longest prefix that is whole", &job.salvage,
     NULL},
    {"--jobs", 0, OPTION_COUNT, "N", "with so many threads (default: as many as there are processors)", &jobs, NULL},
    EMIT_FORMAT_SPEC(&format),
    {0},
};

static int replay_start(const struct operands *operands)
{
    bool all = what_if && !strcmp(what_if, "all");
    if (what_if && !all && !what_if_parse(what_if, &job.what_if))
        return message_misuse("replay: --what-if: expected FUNCTION=2x, or all, found '%s'", what_if);
    if (what_if && (model == REPLAY_TIME || job.salvage || liberal))
        return message_misuse("replay: --what-if needs the event model and whole traces (leave out %s)",
                              job.salvage ? "--salvage"
                              : liberal   ? "--liberal"
                                          : "--model time");
    if (all && job.out)
        return message_misuse("replay: --what-if all writes no execution (leave out -o)");
    if (!job.out && !all)
        return message_misuse("replay: lacks -o DIR2 (the directory for the approximated execution)");
    if (liberal && !liberal_option_parse(liberal, &job.liberal))
        return message_misuse("replay: --liberal: expected FUNCTION=dynamic, guided or static, or with a :CHUNK from 1 "
                              "on, found '%s'",
                              liberal);
    if (liberal && (model == REPLAY_TIME || job.salvage))
        return message_misuse("replay: --liberal needs the event model and whole traces (leave out %s)",
                              job.salvage ? "--salvage" : "--model time");
    if (cores > CORES_MAX)
        return message_misuse("replay: --cores %" PRIu64 ": is no number of processors (give one from 1 to %u)", cores,
                              CORES_MAX);
    if (cores && (model == REPLAY_TIME || liberal))
        return message_misuse("replay: --cores needs the event model alone (leave out %s)",
                              liberal ? "--liberal" : "--model time");
    job.cores = (uint32_t)cores;
    if (jobs != JOBS_DEFAULT && (jobs < 1 || jobs > JOBS_MAX))
        return message_misuse("replay: --jobs %" PRIu64 ": is no number of threads (give one from 1 to %u)", jobs,
                              JOBS_MAX);
    job.jobs = jobs == JOBS_DEFAULT ? 0 : (unsigned)jobs;
    job.dir = operands->texts[0];
    job.stop = violation == 0;
    job.bound_given = comm >= 0;
    job.options = (struct replay_options){.model = (enum replay_model)model,
                                          .barrier = (enum replay_barrier)barrier,
                                          .semaphore = (enum replay_semaphore)semaphore,
                                          .receive = (enum replay_receive)receive,
                                          .comm = comm >= 0 ? (enum replay_comm)comm : REPLAY_COMM_MODEL};
    return replay();
}

const struct command_usage cmd_replay = {
    .command = "replay",
    .summary = "from a trace, the execution as it would have run unmeasured",
    .synopsis = "[OPTION...] -o DIR2 DIR",
    .purpose = "Reconstructs from the traces in DIR how the program would have run unmeasured.",
    .options = specs,
    .operands_min = 1,
    OPERAND_DIRECTORY,
    .run = replay_start,
};
