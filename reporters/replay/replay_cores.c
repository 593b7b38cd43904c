#include "reporters/replay/replay_cores.h"

#include "compensation/numeric/delta.h"
#include "reporters/base/message.h"

#include <math.h>

#define SLICE_NS 3e6 /* so long a thread keeps its processor while others are ready (Linux: 0.7 to 4 ms) */

struct passes {
    replay_pass *run;
    void *context;
};

/* Replays for the graph alone, and schedules that. *measured: fixed, when the last event of the plan was measured. */
static int schedule(const struct passes *passes, struct replay_request request, const struct core_machine *machine,
                    struct replay_outcome *outcome, struct core_plan *plan, int64_t *measured)
{
    struct core_graph graph = {0};
    request.write_to = NULL;
    request.options.graph = &graph;
    int status = passes->run(passes->context, &request, outcome);
    if (!status && !core_schedule(&graph, request.traces->count, machine, plan))
        status = message_no_memory("replay");
    *measured = graph.measured;
    core_graph_free(&graph);
    return status;
}

/* How many times as long as its schedule the measured execution took. */
static int find_pace(const struct passes *passes, struct replay_request request, struct core_machine *machine)
{
    struct replay_outcome outcome;
    struct core_plan plan = {0};
    request.as_measured = true;
    request.options.own_time = NULL;
    int64_t measured;
    int status = schedule(passes, request, machine, &outcome, &plan, &measured);
    if (!status && core_plan_length(&plan) > 0)
        machine->pace = fmax((double)measured / (double)core_plan_length(&plan), 1);
    core_plan_free(&plan);
    replay_outcome_free(&outcome, request.traces->count);
    return status;
}

int replay_on_cores(const struct replay_request *request, uint32_t cores, struct replay_outcome *outcome,
                    replay_pass *run, void *context)
{
    const struct passes passes = {run, context};
    struct core_plan plan = {0};
    int64_t measured;
    struct core_machine machine = {
        .cores = cores, .slice = (int64_t)(SLICE_NS / request->traces->tick_ns * (1 << PCOMP_FIX_SHIFT)), .pace = 1};
    int status = 0;
    if (cores == request->options.processors)
        status = find_pace(&passes, *request, &machine);
    if (!status)
        status = schedule(&passes, *request, &machine, outcome, &plan, &measured);
    if (!status) {
        struct replay_request last = *request;
        last.options.plan = &plan;
        replay_outcome_free(outcome, request->traces->count);
        status = run(context, &last, outcome);
        outcome->pace = machine.pace;
    }
    core_plan_free(&plan);
    return status;
}
