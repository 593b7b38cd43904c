/* Rules of semaphores on executions worked by hand, and flushes before the end of a wait.
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

/* A location's V at `time`, which its UNWINDs, one every 15 ticks, make earlier by 10 each. */
static void post_after(struct replay_case *c, uint32_t location, uint64_t unwinds, uint64_t time)
{
    case_event(c, location, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= unwinds; i++)
        case_event(c, location, i * 15, PCOMP_EVENT_UNWIND, 1);
    case_event(c, location, time, PCOMP_EVENT_SEM_V, OBJECT);
}

/* Two Ps wait for Vs at 200 and 150, in this order; a third V at 180 overtakes the first, which is the later one. */
static struct replay_case *two_awaited(void)
{
    struct replay_case *c = case_new(5, 10);
    post_after(c, 0, 0, 210); /* 200 */
    post_after(c, 2, 6, 220); /* 150 */
    post_after(c, 3, 7, 260); /* 180 */
    wait_measured(c, 20, 30, 230);
    case_event(c, 4, 20, PCOMP_EVENT_SEM_REQUEST, OBJECT);
    case_event(c, 4, 30, PCOMP_EVENT_SEM_WAIT, OBJECT);
    case_event(c, 4, 240, PCOMP_EVENT_SEM_TAKEN, OBJECT);
    return c;
}

Test(replay_semaphore, of_two_awaited_vs_the_later_one_is_overtaken)
{
    struct replay_case *c = two_awaited();
    case_replay(c);
    cr_assert_eq(c->violation_count, 2);
    cr_expect_eq(c->violations[0].location[0], 2);
    cr_expect_eq(c->violations[0].location[1], 0);
    cr_expect_eq(c->violations[1].location[0], 3);
    cr_expect_eq(c->violations[1].event[0], 8);
    cr_expect_eq(c->violations[1].location[1], 0);
    cr_expect_eq(c->violations[1].event[1], 1);
    free(c);
    case_expect_same_in_blocks(two_awaited);
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
