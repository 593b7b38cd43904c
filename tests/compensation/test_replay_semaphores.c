/* Rules of semaphores and of advance and await on executions worked by hand, and flushes before the end of a wait.
 * Alpha is 10 unless said. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000, OBJECT = 0x2000, OTHER = 0x3000 };

/* --- semaphores ----------------------------------------------------------------------------------------------------
 */

static void wait_measured(struct replay_case *c, uint64_t s, uint64_t w, uint64_t e)
{
    case_event(c, 1, s, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 1, w, PCOMP_EVENT_SEM_WAIT, OBJECT);
    case_event(c, 1, e, PCOMP_EVENT_SEM_TAKEN, OBJECT);
}

static void pass_measured(struct replay_case *c, uint64_t s, uint64_t p, uint64_t e)
{
    case_event(c, 1, s, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 1, p, PCOMP_EVENT_SEM_PASSED, OBJECT);
    case_event(c, 1, e, PCOMP_EVENT_SEM_TAKEN, OBJECT);
}

/* Case A: the events of the taker made it come after the V, in truth it comes before. */
Test(replay_semaphore, case_a_waiting_appears)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 110, PCOMP_EVENT_SEM_V, OBJECT); /* 100 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 1, i * 15, PCOMP_EVENT_UNWIND, 1); /* i * 5 */
    pass_measured(c, 150, 163, 177);                     /* 50; 53 by itself, 100 after V; 4 after that */
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 10), 50);
    cr_expect_eq(case_time(c, 1, 11), 100);
    cr_expect_eq(case_time(c, 1, 12), 104);
    cr_assert_eq(c->wait_count, 1);
    case_expect_wait(c, 0, (struct replay_wait){1, REPLAY_WAIT_SEMAPHORE, 11, 0, 1, 0, FIXED(47)});
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

/* Case B: the events of the poster made the taker wait, in truth the V is there. */
Test(replay_semaphore, case_b_waiting_disappears)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 0, i * 15, PCOMP_EVENT_UNWIND, 1); /* i * 5 */
    case_event(c, 0, 150, PCOMP_EVENT_SEM_V, OBJECT);    /* 50 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    wait_measured(c, 110, 123, 166); /* 100, 103, 103 + 166 - 160 */
    case_replay(c);
    TIMES(c, 1, 0, 100, 103, 109);
    cr_assert_eq(c->wait_count, 1);
    case_expect_wait(c, 0, (struct replay_wait){1, REPLAY_WAIT_SEMAPHORE, 3, 0, 10, FIXED(160 - 133), 0});
    free(c);
}

/* Posted while the taker was still recording that it was about to wait: it did not wait. */
Test(replay_semaphore, a_v_during_the_recording_of_the_wait_is_not_waited_for)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 115, PCOMP_EVENT_SEM_V, OBJECT); /* 105, done 125 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    wait_measured(c, 110, 123, 135); /* 100, 103: waits from 133; so 2 more: 105 + 2 */
    case_replay(c);
    TIMES(c, 1, 0, 100, 103, 107);
    free(c);
}

/* POSIX: the i-th P depends on the (i - v0)-th V, and two Vs may come before a P. */
Test(replay_semaphore, initial_values_need_no_v)
{
    struct replay_case *c = case_new(2, 10);
    case_event_long(c, 0, 0, PCOMP_EVENT_SEM_INIT, OBJECT, 2, 0);
    case_event(c, 0, 210, PCOMP_EVENT_SEM_V, OBJECT); /* 200 */
    case_event(c, 0, 220, PCOMP_EVENT_SEM_V, OBJECT); /* 200 */
    pass_measured(c, 50, 60, 70);                     /* 50, 50, 50 */
    pass_measured(c, 80, 90, 100);                    /* 50, 50, 50 */
    pass_measured(c, 230, 240, 250);                  /* 170; the first V 200 */
    pass_measured(c, 260, 270, 280);                  /* 200, 200, 200 */
    case_replay(c);
    TIMES(c, 1, 50, 50, 50, 50, 50, 50, 170, 200, 200, 200, 200, 200);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_semaphore, each_p_has_a_v_of_its_own)
{
    struct replay_case *c = case_new(2, 0);
    case_event(c, 0, 100, PCOMP_EVENT_SEM_V, OBJECT);
    case_event(c, 0, 110, PCOMP_EVENT_SEM_V, OBJECT);
    case_event(c, 0, 300, PCOMP_EVENT_SEM_V, OBJECT);
    wait_measured(c, 0, 0, 115);
    pass_measured(c, 120, 121, 122);
    wait_measured(c, 200, 210, 305);
    case_replay(c);
    cr_assert_eq(c->wait_count, 2);
    cr_expect_eq(c->waits[0].cause_event, 0);
    cr_expect_eq(c->waits[1].cause_event, 2);
    free(c);
}

Test(replay_semaphore, at_equal_times_the_first_location_comes_first)
{
    struct replay_case *c = case_new(4, 0);
    case_event(c, 2, 100, PCOMP_EVENT_SEM_V, OBJECT);
    case_event(c, 3, 100, PCOMP_EVENT_SEM_V, OBJECT);
    wait_measured(c, 50, 50, 105);
    case_replay(c);
    cr_assert_eq(c->wait_count, 1);
    cr_expect_eq(c->waits[0].cause, 2);
    free(c);
}

/* Case C: as measured, the V of location 0 comes first and is paired with the P; in truth that of location 2 does. */
static struct replay_case *overtaking(void)
{
    struct replay_case *c = case_new(3, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 110, PCOMP_EVENT_SEM_V, OBJECT); /* 100 */
    case_event(c, 2, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 2, i * 15, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 2, 150, PCOMP_EVENT_SEM_V, OBJECT); /* 50 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    wait_measured(c, 20, 30, 121); /* 10, 10, 100 + 1 */
    return c;
}

Test(replay_semaphore, case_c_keeps_the_pairing_and_is_logged)
{
    struct replay_case *c = overtaking();
    case_replay(c);
    TIMES(c, 1, 0, 10, 10, 101);
    cr_assert_eq(c->violation_count, 1);
    cr_expect_eq(c->violations[0].location[0], 2);
    cr_expect_eq(c->violations[0].event[0], 10);
    cr_expect_eq(c->violations[0].location[1], 0);
    cr_expect_eq(c->violations[0].event[1], 1);
    c->stop = true;
    cr_expect_eq(case_replay(c), REPLAY_STOPPED);
    cr_expect_eq(c->result.violations, 1);
    free(c);
    case_expect_same_in_blocks(overtaking);
}

/* 1991 §4.3.2 as printed: without its probes the second V, measured after the first P, comes before it. */
static struct replay_case *one_at_a_time(enum replay_semaphore semaphore)
{
    struct replay_case *c = case_new(2, 10);
    c->options.semaphore = semaphore;
    case_event(c, 0, 0, PCOMP_EVENT_SEM_V, OBJECT); /* 0 */
    for (uint64_t t = 10; t < 210; t += 10)
        case_event(c, 0, t, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 0, 210, PCOMP_EVENT_SEM_V, OBJECT); /* 0 */
    case_event(c, 0, 240, PCOMP_EVENT_EXIT, F);
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    pass_measured(c, 110, 120, 150); /* 100, 100, 120 */
    pass_measured(c, 230, 245, 255); /* 190, 195, 195 */
    return c;
}

Test(replay_semaphore, case_c_as_printed_moves_the_v_behind_the_p)
{
    struct replay_case *c = one_at_a_time(REPLAY_SEMAPHORE_SINGLE);
    case_replay(c);
    cr_assert_eq(c->violation_count, 1);
    cr_expect_eq(c->violations[0].location[0], 0);
    cr_expect_eq(c->violations[0].event[0], 21);
    cr_expect_eq(c->violations[0].location[1], 1);
    cr_expect_eq(c->violations[0].event[1], 3);
    cr_expect_eq(case_time(c, 0, 21), 120);
    cr_expect_eq(case_time(c, 0, 22), 140, "and what follows it with it");
    TIMES(c, 1, 0, 100, 100, 120);
    free(c);
    c = one_at_a_time(REPLAY_SEMAPHORE_SINGLE);
    c->stop = true;
    cr_expect_eq(case_replay(c), REPLAY_STOPPED);
    free(c);
}

/* POSIX semaphores count: that is how a producer runs ahead. */
Test(replay_semaphore, case_c_as_printed_is_none_where_semaphores_count)
{
    struct replay_case *c = one_at_a_time(REPLAY_SEMAPHORE_COUNTING);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    cr_expect_eq(case_time(c, 0, 21), 0);
    free(c);
    c = one_at_a_time(REPLAY_SEMAPHORE_SINGLE);
    case_event(c, 0, 260, PCOMP_EVENT_SEM_V, OTHER);
    for (int i = 0; i < 2; i++) /* two that are posted together as measured are no such semaphore */
        case_event(c, 0, 270, PCOMP_EVENT_SEM_V, OTHER);
    case_replay(c);
    cr_expect_eq(c->violation_count, 1);
    free(c);
}

Test(replay_semaphore, failed_ps_need_no_v)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 500, PCOMP_EVENT_SEM_V, OBJECT);
    case_event(c, 1, 0, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 1, 20, PCOMP_EVENT_SEM_FAILED, OBJECT);  /* 10 */
    case_event(c, 1, 40, PCOMP_EVENT_SEM_REQUEST, OBJECT); /* 20 */
    case_event(c, 1, 60, PCOMP_EVENT_SEM_WAIT, OBJECT);    /* 30 */
    case_event(c, 1, 99, PCOMP_EVENT_SEM_FAILED, OBJECT);  /* 59: a time-out lasts as long as it did */
    case_replay(c);
    TIMES(c, 1, 0, 10, 20, 30, 59);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_semaphore, a_p_without_v_is_a_violation_and_no_end)
{
    struct replay_case *c = case_new(2, 10);
    case_event_long(c, 0, 0, PCOMP_EVENT_SEM_INIT, OBJECT, 0, 0);
    case_event(c, 0, 500, PCOMP_EVENT_ENTER, F);
    wait_measured(c, 0, 20, 100);
    wait_measured(c, 110, 120, 200);
    case_replay(c);
    TIMES(c, 1, 0, 10, 80, 80, 80, 150);
    cr_expect_eq(c->violation_count, 2);
    free(c);
}

/* Posted, or given a value, before the first instrumented function: of that there is no record. */
Test(replay_semaphore, a_semaphore_older_than_the_recording_needs_no_v_that_is_recorded)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 300, PCOMP_EVENT_SEM_V, OBJECT); /* 300 */
    wait_measured(c, 0, 20, 100);                     /* 0, 10, 80 */
    pass_measured(c, 110, 120, 130);                  /* 80, 80, 80 */
    wait_measured(c, 140, 150, 306);                  /* 80, 80; the V, and 4 less */
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 2), 80);
    cr_expect_eq(case_time(c, 1, 5), 80);
    cr_assert_eq(c->wait_count, 1);
    cr_expect_eq(c->waits[0].cause_event, 0);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

/* A ring has overwritten the beginning: what belongs to it is reported and goes by its own time, and nobody waits. */
Test(replay_semaphore, where_records_are_missing_no_event_waits_for_its_cause)
{
    struct replay_case *c = case_new(2, 10);
    c->options.partial = true;
    case_event(c, 0, 500, PCOMP_EVENT_SEM_V, OBJECT); /* later as measured: not the cause of the first two */
    case_event(c, 0, 600, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_event(c, 1, 50, PCOMP_EVENT_SEM_TAKEN, OBJECT);
    wait_measured(c, 60, 80, 100);
    wait_measured(c, 110, 120, 515); /* the V, and 5 */
    case_replay(c);
    TIMES(c, 0, 500, 590);
    TIMES(c, 1, 50, 50, 60, 70, 70, 70, 505);
    cr_expect_eq(c->violation_count, 1);
    free(c);
}

/* Two processes: their semaphores are two, but a named one is the same. */
Test(replay_semaphore, objects_belong_to_processes_unless_they_are_shared)
{
    struct replay_case *c = case_new(2, 10);
    c->locations[1].process = 1;
    case_event(c, 0, 0, PCOMP_EVENT_SEM_V, OBJECT);
    case_event_long(c, 1, 0, PCOMP_EVENT_SEM_INIT, OBJECT, 0, 0);
    wait_measured(c, 10, 20, 40);
    case_replay(c);
    cr_expect_eq(c->violation_count, 1);
    free(c);
    c = case_new(2, 10);
    c->locations[1].process = 1;
    case_event(c, 0, 0, PCOMP_EVENT_SEM_V, OBJECT | PCOMP_EVENT_SHARED);
    case_event(c, 1, 10, PCOMP_EVENT_SEM_REQUEST, OBJECT | PCOMP_EVENT_SHARED);
    case_event(c, 1, 20, PCOMP_EVENT_SEM_PASSED, OBJECT | PCOMP_EVENT_SHARED);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    cr_expect_eq(c->end, REPLAY_DONE);
    free(c);
}

/* --- flushes at an effect ------------------------------------------------------------------------------------------
 */

/* The buffer was found full when the end of the wait was to be recorded: the wait was over before the flush. */
Test(replay_flush, after_a_wait_is_no_part_of_it)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 0, i * 15, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 0, 150, PCOMP_EVENT_SEM_V, OBJECT); /* 50 */
    case_event(c, 1, 0, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 1, 20, PCOMP_EVENT_SEM_WAIT, OBJECT); /* 10 */
    case_event(c, 1, 165, PCOMP_EVENT_FLUSH_BEGIN, 0);  /* 5 after the V */
    case_event(c, 1, 1165, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 1, 1175, PCOMP_EVENT_SEM_TAKEN, OBJECT); /* 50 + 5 */
    case_event(c, 1, 1195, PCOMP_EVENT_EXIT, F);           /* 65 */
    case_replay(c);
    TIMES(c, 1, 0, 10, 10, 10, 55, 65);
    free(c);
}

/* Two of them, one behind the other, are as one. */
Test(replay_flush, after_a_wait_may_be_two)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 150, PCOMP_EVENT_SEM_V, OBJECT);
    case_event(c, 1, 0, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 1, 20, PCOMP_EVENT_SEM_WAIT, OBJECT); /* 10 */
    case_event(c, 1, 165, PCOMP_EVENT_FLUSH_BEGIN, 0);  /* 5 after the V */
    case_event(c, 1, 1165, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 1, 1175, PCOMP_EVENT_FLUSH_BEGIN, 0);
    case_event(c, 1, 1200, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 1, 1213, PCOMP_EVENT_SEM_TAKEN, OBJECT); /* 150 + 5 + 3 */
    case_replay(c);
    TIMES(c, 1, 0, 10, 10, 10, 10, 10, 158);
    free(c);
}

/* The beginning of the wait filled the buffer: the flush came before the V. */
Test(replay_flush, before_a_wait_delays_its_beginning)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 1500, PCOMP_EVENT_SEM_V, OBJECT); /* 1490 */
    case_event(c, 1, 0, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 1, 20, PCOMP_EVENT_SEM_WAIT, OBJECT); /* 10 */
    case_event(c, 1, 30, PCOMP_EVENT_FLUSH_BEGIN, 0);
    case_event(c, 1, 1165, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 1, 1515, PCOMP_EVENT_SEM_TAKEN, OBJECT); /* 1490 + 5 */
    case_replay(c);
    TIMES(c, 1, 0, 10, 10, 10, 1495);
    case_expect_wait(c, 0, (struct replay_wait){1, REPLAY_WAIT_SEMAPHORE, 4, 0, 1, FIXED(1510 - 1175), FIXED(1480)});
    free(c);
}

/* --- advance and await ---------------------------------------------------------------------------------------------
 */

/* A pipeline of two: location 1 may do step i when location 0 has done it. In truth a step takes 30 and 20; measured,
 * the second has 3 events more a step, so it does not wait. */
Test(replay_advance, waiting_appears_where_the_measurement_hid_it)
{
    struct replay_case *c = case_new(2, 10);
    uint64_t t = 0;
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 3; i++)
        case_event_long(c, 0, i * 40, PCOMP_EVENT_ADVANCE, OBJECT, i, 0); /* 30, 60, 90 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 3; i++) {
        t = i == 1 ? 10 : t + 30;
        case_event_long(c, 1, t, PCOMP_EVENT_AWAIT_BEGIN, OBJECT, i, 0);
        uint64_t ready = t + 10, done = i * 40 + 10;
        t = ready > done ? ready : done;
        case_event_long(c, 1, t, PCOMP_EVENT_AWAIT_END, OBJECT, i, 0);
        for (int n = 0; n < 3; n++)
            case_event(c, 1, t += 10, PCOMP_EVENT_UNWIND, 1);
    }
    case_replay(c);
    /* the ends of the awaits: 30, then 50 by itself but 60, then 80 but 90 */
    cr_expect_eq(case_time(c, 1, 2), 30);
    cr_expect_eq(case_time(c, 1, 7), 60);
    cr_expect_eq(case_time(c, 1, 12), 90);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_advance, an_await_looks_for_its_index_then_for_one_beyond)
{
    struct replay_case *c = case_new(2, 0);
    case_event_long(c, 0, 10, PCOMP_EVENT_ADVANCE, OBJECT, 7, 0);
    case_event_long(c, 0, 20, PCOMP_EVENT_ADVANCE, OBJECT, 5, 0);
    case_event_long(c, 0, 30, PCOMP_EVENT_ADVANCE, OBJECT, 9, 0);
    case_event_long(c, 0, 35, PCOMP_EVENT_ADVANCE, OBJECT, 11, 0);
    case_event_long(c, 1, 0, PCOMP_EVENT_AWAIT_BEGIN, OBJECT, 5, 0);
    case_event_long(c, 1, 40, PCOMP_EVENT_AWAIT_END, OBJECT, 5, 0);
    case_event_long(c, 1, 50, PCOMP_EVENT_AWAIT_BEGIN, OBJECT, 8, 0);
    case_event_long(c, 1, 60, PCOMP_EVENT_AWAIT_END, OBJECT, 8, 0);
    case_event_long(c, 1, 70, PCOMP_EVENT_AWAIT_BEGIN, OBJECT, 99, 0);
    case_event_long(c, 1, 80, PCOMP_EVENT_AWAIT_END, OBJECT, 99, 1);
    case_replay(c);
    TIMES(c, 1, 0, 40, 50, 60, 70, 80);
    cr_expect_eq(c->violation_count, 0);
    cr_assert_eq(c->wait_count, 1);
    case_expect_wait(c, 0, (struct replay_wait){1, REPLAY_WAIT_AWAIT, 1, 0, 1, FIXED(20), FIXED(20)});
    free(c);
}

Test(replay_advance, an_await_without_advance_is_a_violation)
{
    struct replay_case *c = case_new(2, 10);
    case_event_long(c, 0, 10, PCOMP_EVENT_ADVANCE, OTHER, 5, 0);
    case_event_long(c, 1, 0, PCOMP_EVENT_AWAIT_BEGIN, OBJECT, 5, 0);
    case_event_long(c, 1, 40, PCOMP_EVENT_AWAIT_END, OBJECT, 5, 0);
    case_replay(c);
    TIMES(c, 1, 0, 30);
    cr_expect_eq(c->violation_count, 1);
    free(c);
}

/* One advances, one awaits, without end: blocks are made on the fly. */
struct endless {
    struct pcomp_event_long block[2][2];
    uint64_t step[2], steps;
    uint64_t lag; /* steps that the one who awaits is behind */
    bool once;    /* there is one await, from the beginning to the end */
    uint64_t wrong;
};

static size_t endless_next(void *context, uint32_t location, void **block)
{
    struct endless *e = context;
    uint64_t i = e->step[location]++, t = 100 * i;
    struct pcomp_event_long *b = e->block[location];
    if (i == e->steps)
        return 0;
    *block = b;
    if (location == 0) {
        b[0] = (struct pcomp_event_long){t, (uint64_t)PCOMP_EVENT_ADVANCE << 56 | OBJECT, i, 0};
        return sizeof *b;
    }
    if (e->once) {
        e->step[location] = e->steps;
        b[0] = (struct pcomp_event_long){0, (uint64_t)PCOMP_EVENT_AWAIT_BEGIN << 56 | OBJECT, 1, 0};
        b[1] = (struct pcomp_event_long){100 * e->steps, (uint64_t)PCOMP_EVENT_AWAIT_END << 56 | OBJECT, 1, 0};
        return 2 * sizeof *b;
    }
    uint64_t index = i < e->lag ? 0 : i - e->lag;
    b[0] = (struct pcomp_event_long){t, (uint64_t)PCOMP_EVENT_AWAIT_BEGIN << 56 | OBJECT, index, 0};
    b[1] = (struct pcomp_event_long){t + 15, (uint64_t)PCOMP_EVENT_AWAIT_END << 56 | OBJECT, index, 0};
    return 2 * sizeof *b;
}

static void endless_done(void *context, uint32_t location, void *block, size_t size)
{
    struct endless *e = context;
    uint64_t i = e->step[location] - 1;
    const struct pcomp_event_long *b = block;
    (void)size;
    if (location == 1 && !e->once && b[1].time != 90 * i + 5)
        e->wrong++;
}

static uint64_t violations_of_endless(uint64_t lag, bool once)
{
    static int64_t alpha[PCOMP_EVENT_KINDS];
    struct endless e = {.steps = 200000, .lag = lag, .once = once};
    const struct replay_location locations[2] = {{.rank = -1, .alpha = alpha}, {.rank = -1, .alpha = alpha}};
    const struct replay_options options = {.model = REPLAY_EVENT};
    const struct replay_io io = {.context = &e, .next = endless_next, .done = endless_done};
    struct replay_location_result results[2];
    struct replay_result result;
    alpha[PCOMP_EVENT_ADVANCE] = FIXED(10);
    alpha[PCOMP_EVENT_AWAIT_END] = FIXED(10); /* both take 90 ticks a step */
    cr_expect_eq(replay_run(locations, 2, &options, &io, results, &result), REPLAY_DONE);
    cr_expect_eq(e.wrong, 0);
    cr_expect_lt(result.bytes_max, 24u << 20);
    cr_expect_gt(result.bytes_max, 1u << 20, "the window was reached");
    return result.violations;
}

Test(replay_advance, memory_is_bounded_by_a_window_of_advances)
{
    cr_expect_eq(violations_of_endless(0, false), 0);
}

Test(replay_advance, one_that_is_out_of_the_window_is_not_waited_for)
{
    cr_expect_eq(violations_of_endless(100000, false), 0);
}

Test(replay_advance, one_that_is_out_of_the_window_and_mattered_is_a_violation)
{
    cr_expect_eq(violations_of_endless(0, true), 1);
}
