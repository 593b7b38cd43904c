/* The simulated machine itself: hand-computed executions, and the laws that both executions of a program obey. */
#include "tests/compensation/simulated_machine.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

enum { PROGRAMS = 400 };

static uint64_t time_of(const struct simulation_result *result, uint32_t location, size_t event)
{
    cr_assert_lt(event, result->traces[location].events);
    return result->traces[location].times[event];
}

/* A program of `count` locations without operations. */
static struct simulation_program empty_program(uint32_t count)
{
    struct simulation_program program = {.count = count, .groups = 100, .objects = 10};

    program.locations = calloc(count, sizeof *program.locations);
    cr_assert(program.locations);
    for (uint32_t i = 0; i < count; i++)
        program.locations[i].rank = (int32_t)i;
    return program;
}

static void run(const struct simulation_program *program, uint32_t alpha, struct simulation_result *result)
{
    struct simulation_machine machine = {.messages = &simulated_messages};

    for (int i = 0; i < PCOMP_EVENT_KINDS; i++)
        machine.alpha[i] = alpha;
    cr_assert(simulation_run(program, &machine, result));
}

Test(simulation, barrier_lets_go_after_the_last_arrival)
{
    struct simulation_program program = empty_program(4);
    struct simulation_result actual, measured;

    for (uint32_t i = 0; i < 4; i++) {
        simulation_add(&program, i, (struct simulation_op){.kind = SIMULATION_COMPUTE, .amount = 100 + 10 * i});
        simulation_add(&program, i, (struct simulation_op){.kind = SIMULATION_BARRIER, .group = 1, .delay = i ? i : 9});
    }
    run(&program, 0, &actual);
    run(&program, 10, &measured);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(time_of(&actual, i, 0), 100 + 10 * i);
        cr_expect_eq(time_of(&actual, i, 1), 130 + (i ? i : 9));
        cr_expect_eq(time_of(&measured, i, 0), 100 + 10 * i, "stamped before alpha passes");
        cr_expect_eq(time_of(&measured, i, 1), 140 + (i ? i : 9));
    }
    simulation_result_free(&actual);
    simulation_result_free(&measured);
    simulation_program_free(&program);
}

Test(simulation, p_waits_for_the_post_and_not_for_its_event)
{
    struct simulation_program program = empty_program(2);
    struct simulation_result actual, measured;

    simulation_add(&program, 0, (struct simulation_op){.kind = SIMULATION_COMPUTE, .amount = 50});
    simulation_add(&program, 0, (struct simulation_op){.kind = SIMULATION_V});
    simulation_add(&program, 1, (struct simulation_op){.kind = SIMULATION_COMPUTE, .amount = 55});
    simulation_add(&program, 1, (struct simulation_op){.kind = SIMULATION_P, .delay = 3});
    run(&program, 0, &actual);
    cr_expect_eq(simulation_record(&actual.traces[1], 1)->what >> 56, PCOMP_EVENT_SEM_PASSED);
    cr_expect_eq(time_of(&actual, 1, 2), 58);
    run(&program, 20, &measured); /* V 50, its post 70; P_S 55, the test 75 */
    cr_expect_eq(simulation_record(&measured.traces[1], 1)->what >> 56, PCOMP_EVENT_SEM_PASSED);
    cr_expect_eq(time_of(&measured, 1, 2), 75 + 20 + 3);
    simulation_result_free(&measured);
    program.locations[0].ops[0].amount = 60;
    run(&program, 20, &measured); /* the post 80, the test 75: P_W, over at 95 */
    cr_expect_eq(simulation_record(&measured.traces[1], 1)->what >> 56, PCOMP_EVENT_SEM_WAIT);
    cr_expect_eq(time_of(&measured, 1, 2), 95 + 3);
    simulation_result_free(&measured);
    program.locations[0].ops[0].amount = 600;
    run(&program, 20, &measured);
    cr_expect_eq(time_of(&measured, 1, 2), 620 + 3);
    simulation_result_free(&actual);
    simulation_result_free(&measured);
    simulation_program_free(&program);
}

Test(simulation, message_takes_its_time_and_its_copy)
{
    struct simulation_program program = empty_program(2);
    struct simulation_result actual;
    struct simulation_op send = {
        .kind = SIMULATION_SEND, .mode = PCOMP_EVENT_SEND_POST, .peer = 1, .amount = 400, .group = 1};
    struct simulation_op receive = {.kind = SIMULATION_RECV, .peer = 0, .amount = 400, .group = 1};

    for (uint32_t i = 0; i < 3; i++) { /* 900 + 400 on the way, 60 + 100 a copy */
        simulation_add(&program, 0, send);
        simulation_add(&program, 1, receive);
        simulation_add(&program, 1, (struct simulation_op){.kind = SIMULATION_COMPUTE, .amount = 5000});
        send.mode = i ? PCOMP_EVENT_SEND_POST_SYNC : PCOMP_EVENT_SEND_POST;
    }
    run(&program, 0, &actual);
    cr_expect_eq(time_of(&actual, 0, 1), 160);
    cr_expect_eq(time_of(&actual, 1, 1), 1300);
    cr_expect_eq(time_of(&actual, 0, 3), 320);
    cr_expect_eq(time_of(&actual, 1, 3), 1300 + 5000 + 160, "it was there: only the copy");
    cr_expect_eq(time_of(&actual, 1, 5), 11460 + 1300, "both have come");
    cr_expect_eq(time_of(&actual, 0, 5), 11460 + 1300, "the sender waited for the receiver");
    simulation_result_free(&actual);
    simulation_program_free(&program);
}

/* --- Laws on random programs --- */

static void assert_times_in_order(const struct simulation_result *result, uint64_t seed)
{
    for (uint32_t i = 0; i < result->count; i++) {
        for (size_t k = 1; k < result->traces[i].events; k++) {
            cr_assert_leq(result->traces[i].times[k - 1], result->traces[i].times[k], "seed %" PRIu64, seed);
            cr_assert_lt(result->traces[i].names[k - 1], result->traces[i].names[k], "seed %" PRIu64, seed);
        }
    }
}

/* No exit of a barrier before its last enter: with `participants` enters before the k-th exits. */
static void assert_barriers(const struct simulation_result *result, uint64_t seed)
{
    for (uint32_t i = 0; i < result->count; i++) {
        uint64_t generation = 0, object = 0;

        for (size_t k = 0; k < result->traces[i].events; k++) {
            const struct pcomp_event_long *e = simulation_record(&result->traces[i], k);

            if (e->what >> 56 != PCOMP_EVENT_BARRIER_EXIT)
                continue;
            uint64_t enters = 0, before = 0;
            generation = object == (e->what & PCOMP_EVENT_VALUE) ? generation + 1 : 1;
            object = e->what & PCOMP_EVENT_VALUE;
            for (uint32_t other = 0; other < result->count; other++) {
                for (size_t n = 0; n < result->traces[other].events; n++) {
                    const struct pcomp_event_long *enter = simulation_record(&result->traces[other], n);
                    if (enter->what == ((uint64_t)PCOMP_EVENT_BARRIER_ENTER << 56 | object)) {
                        enters = enter->a;
                        before += enter->time <= e->time;
                    }
                }
            }
            cr_assert_geq(before, generation * enters, "seed %" PRIu64, seed);
        }
    }
}

Test(simulation, random_programs_end_in_both_executions_and_tell_the_same_story)
{
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct simulation_shape shape = {.seed = seed,
                                         .phases = UINT32_MAX,
                                         .locations = 2 + (uint32_t)(seed % 7),
                                         .length = 3,
                                         .work = seed % 2 ? 10 : 3000};
        struct simulation_program program = simulation_generate(&shape);
        struct simulation_machine still = simulated_machine(seed, 0, 0), costly = simulated_machine(seed, 200, 20);
        struct simulation_result actual, measured;

        cr_assert(simulation_run(&program, &still, &actual), "seed %" PRIu64 " does not end", seed);
        cr_assert(simulation_run(&program, &costly, &measured), "seed %" PRIu64 " does not end", seed);
        assert_times_in_order(&actual, seed);
        assert_times_in_order(&measured, seed);
        if (seed < 60) {
            assert_barriers(&actual, seed);
            assert_barriers(&measured, seed);
        }
        simulation_result_free(&actual);
        simulation_result_free(&measured);
        simulation_program_free(&program);
    }
}

/* --- Shrinking --- */

static bool has_two_parties(const struct simulation_program *program, void *context)
{
    struct simulation_machine machine = simulated_machine(1, 10, 0);
    struct simulation_result result;
    bool ends = simulation_run(program, &machine, &result), found = false;

    (void)context;
    for (uint32_t i = 0; i < result.count && ends; i++) {
        for (size_t k = 0; k < result.traces[i].events; k++)
            found = found || simulation_record(&result.traces[i], k)->what >> 56 == PCOMP_EVENT_RECV_DONE;
    }
    simulation_result_free(&result);
    return found;
}

Test(simulation, shrinking_leaves_what_fails)
{
    struct simulation_shape shape = {.seed = 5,
                                     .phases = SIMULATE_MESSAGES | SIMULATE_LOCKS | SIMULATE_1_TO_N,
                                     .locations = 6,
                                     .length = 6,
                                     .work = 9};
    struct simulation_program program = simulation_generate(&shape);
    uint32_t left = 0;

    cr_assert(has_two_parties(&program, NULL));
    simulation_shrink(&program, has_two_parties, NULL);
    cr_expect(has_two_parties(&program, NULL));
    for (uint32_t i = 0; i < program.count; i++)
        left += program.locations[i].count;
    cr_expect_eq(left, 2, "a send and its receive");
    simulation_program_free(&program);
}
