/* Runs a program in both executions, replays the measured one, and compares. */
#include "tests/compensation/replay_property.h"
#include "compensation/numeric/delta.h"
#include "tests/compensation/simulated_machine.h"
#include "tests/compensation/simulated_replay.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct trial {
    const struct property *property;
    uint64_t seed;
    bool print;
    bool tried;
};

static const char *end_name(enum replay_end end)
{
    static const char *const names[] = {"done", "stopped", "bad input", "no memory"};

    return names[end];
}

/* Whether the replay came to its end without violation. */
static bool is_sound(const struct trial *trial, const struct simulated_replay *replay)
{
    if (replay->end == REPLAY_DONE && replay->violations == 0)
        return true;
    if (trial->print && replay->end != REPLAY_DONE)
        fprintf(stderr, "replay ended: %s: %s, location %" PRIu32 ", event %" PRIu64 "\n", end_name(replay->end),
                replay->result.error ? replay->result.error : "", replay->result.error_location,
                replay->result.error_event);
    else if (trial->print)
        fprintf(stderr,
                "%" PRIu64 " violations, the first: %s; location %" PRIu32 " event %" PRIu64
                " against location %" PRId32 " event %" PRIu64 "\n",
                replay->violations, replay->first.rule, replay->first.location[0], replay->first.event[0],
                (int32_t)replay->first.location[1], replay->first.event[1]);
    return false;
}

static bool meets(const struct trial *trial, const struct simulation_result *measured,
                  const struct simulation_result *actual, const struct simulated_replay *replay, int sign)
{
    struct simulated_error error = simulated_replay_error(measured, actual, replay, sign);

    if (error.ticks && trial->print)
        fprintf(stderr,
                "location %" PRIu32 " event %zu (kind %#" PRIx64 "): measured %" PRIu64 ", approximated %" PRIu64
                ", actual %" PRIu64 "\n",
                error.location, error.event,
                simulation_record(&measured->traces[error.location], error.event)->what >> 56, error.measured,
                error.approximated, error.actual);
    return error.ticks == 0;
}

static bool is_near(const struct trial *trial, const struct simulation_result *actual,
                    const struct simulated_replay *replay)
{
    double truth = (double)(actual->last - actual->first);
    double found = (double)replay->result.approximated / (1 << PCOMP_FIX_SHIFT);

    if (fabs(found - truth) <= 0.02 * truth)
        return true;
    if (trial->print)
        fprintf(stderr, "total: approximated %.0f, actual %.0f, measured %" PRIu64 "\n", found, truth,
                replay->result.measured);
    return false;
}

static bool same_times(const struct simulated_replay *one, const struct simulated_replay *other,
                       const struct simulation_result *measured)
{
    bool same = one->violations == other->violations &&
                memcmp(one->result.waiting_approximated, other->result.waiting_approximated,
                       sizeof one->result.waiting_approximated) == 0;

    for (uint32_t i = 0; i < measured->count; i++)
        same = same && memcmp(one->times[i], other->times[i], measured->traces[i].events * sizeof(uint64_t)) == 0;
    return same;
}

/* To the tick, also what is said of the whole. */
static bool same_results(const struct simulated_replay *one, const struct simulated_replay *other,
                         const struct simulation_result *measured)
{
    const struct replay_result *a = &one->result, *b = &other->result;

    return one->end == REPLAY_DONE && other->end == REPLAY_DONE && same_times(one, other, measured) &&
           memcmp(a->waiting_measured, b->waiting_measured, sizeof a->waiting_measured) == 0 &&
           memcmp(one->locations, other->locations, measured->count * sizeof *one->locations) == 0 &&
           a->events == b->events && a->lost == b->lost && a->blind == b->blind && a->violations == b->violations &&
           a->origin == b->origin && a->measured == b->measured && a->approximated == b->approximated &&
           a->direct_perturbation == b->direct_perturbation &&
           fabs(a->critical_path.sites - b->critical_path.sites) <= 1e-9 * a->critical_path.sites;
}

static bool holds_for(struct trial *trial, const struct simulation_program *program,
                      const struct simulation_machine *machine, const struct simulation_result *measured,
                      const struct simulation_result *actual)
{
    struct replay_options options = trial->property->options;
    struct simulated_replay replay, other;
    bool holds;

    options.messages = simulated_messages;
    options.messages.has_protocols = !trial->property->protocols_unknown;
    if (trial->property->claim == CLAIM_BOUNDS || trial->property->claim == CLAIM_KNOWN)
        options.comm = REPLAY_COMM_LOWER;
    replay = simulated_replay_run(program, machine, measured, &options, 0, 0);
    holds = trial->property->claim >= CLAIM_BLOCKS ? replay.end == REPLAY_DONE : is_sound(trial, &replay);
    switch (trial->property->claim) {
    case CLAIM_EXACT:
    case CLAIM_FIXED_POINT:
        holds = holds && meets(trial, measured, actual, &replay, 0);
        break;
    case CLAIM_NEAR:
        holds = holds && is_near(trial, actual, &replay);
        break;
    case CLAIM_BOUNDS:
        options.comm = REPLAY_COMM_UPPER;
        other = simulated_replay_run(program, machine, measured, &options, 0, 0);
        holds = holds && is_sound(trial, &other) && meets(trial, measured, actual, &replay, 1) &&
                meets(trial, measured, actual, &other, -1);
        simulated_replay_free(&other);
        break;
    case CLAIM_KNOWN:
        options.comm = REPLAY_COMM_UPPER;
        other = simulated_replay_run(program, machine, measured, &options, 0, 0);
        trial->tried = same_times(&replay, &other, measured);
        holds = holds && (!trial->tried || meets(trial, measured, actual, &replay, 0));
        simulated_replay_free(&other);
        break;
    case CLAIM_BLOCKS:
        for (uint32_t block = 1; block <= 8 && holds; block += 7) {
            other = simulated_replay_run(program, machine, measured, &options, block, block > 1 ? trial->seed : 0);
            holds = same_times(&replay, &other, measured);
            simulated_replay_free(&other);
        }
        break;
    case CLAIM_SPREAD:
        for (uint32_t parts = 2; parts <= 4 && holds; parts++) {
            other = simulated_replay_spread(program, machine, measured, &options, parts == 3 ? 0 : 4, 0, parts);
            holds = same_results(&replay, &other, measured);
            simulated_replay_free(&other);
        }
        break;
    }
    simulated_replay_free(&replay);
    return holds;
}

static bool breaks(const struct simulation_program *program, void *context)
{
    struct trial *trial = context;
    const struct property *property = trial->property;
    bool jitter = property->claim == CLAIM_NEAR, free_of_cost = property->claim == CLAIM_FIXED_POINT;
    struct simulation_machine still = simulated_machine(trial->seed, 0, 0);
    struct simulation_machine costly = simulated_machine(trial->seed, free_of_cost ? 0 : 100, jitter ? 20 : 0);
    struct simulation_result actual, measured;
    costly.drifts = property->drifts;
    costly.sites = property->sites;
    bool ends = simulation_run(program, &still, &actual) && simulation_run(program, &costly, &measured);
    bool broken = false;

    if (!ends) { /* the second did not run when the first did not end: never for a generated program */
        simulation_result_free(&actual);
        return false;
    }
    trial->tried = !property->same_order || simulation_same_order(&actual, &measured);
    if (trial->tried)
        broken = !holds_for(trial, program, &costly, &measured, &actual);
    simulation_result_free(&actual);
    simulation_result_free(&measured);
    return broken;
}

uint32_t property_check(const struct property *property)
{
    uint32_t tried = 0;

    for (uint64_t i = 0; i < property->programs; i++) {
        struct trial trial = {.property = property, .seed = (property->seed ? property->seed : 1) + i};
        struct simulation_shape shape = {
            .seed = trial.seed,
            .phases = property->phases,
            .locations = 2 + (uint32_t)(trial.seed % (property->locations - 1)),
            .length = property->claim == CLAIM_NEAR ? property->length : 1 + (uint32_t)(trial.seed % property->length),
            .work = property->work};
        struct simulation_program program = simulation_generate(&shape);

        if (breaks(&program, &trial)) {
            fprintf(stderr, "seed %" PRIu64 ":\n", trial.seed);
            if (property->claim != CLAIM_NEAR) { /* an error is small beside a long program only */
                simulation_shrink(&program, breaks, &trial);
                simulation_print(&program);
            }
            trial.print = true;
            breaks(&program, &trial);
            simulation_program_free(&program);
            cr_assert_fail("seed %" PRIu64, trial.seed);
        }
        tried += trial.tried;
        simulation_program_free(&program);
    }
    return tried;
}
