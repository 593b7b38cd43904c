/* Rules of mutexes, reader-writer locks and condition variables on executions worked by hand. Alpha is 10. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000, LOCK = 0x2000, CONDITION = 0x3000, READ = 1 };

static void hold(struct replay_case *c, uint32_t location, uint64_t lock, uint64_t request, uint64_t acquired,
                 uint64_t release)
{
    case_event(c, location, request, PCOMP_EVENT_LOCK_REQUEST, lock);
    case_event(c, location, acquired, PCOMP_EVENT_LOCK_ACQUIRED, lock);
    case_event(c, location, release, PCOMP_EVENT_LOCK_RELEASE, lock);
}

static void wait_and_hold(struct replay_case *c, uint32_t location, uint64_t lock, uint64_t request, uint64_t wait,
                          uint64_t acquired, uint64_t release)
{
    case_event(c, location, request, PCOMP_EVENT_LOCK_REQUEST, lock);
    case_event(c, location, wait, PCOMP_EVENT_LOCK_WAIT, lock);
    case_event(c, location, acquired, PCOMP_EVENT_LOCK_ACQUIRED, lock);
    case_event(c, location, release, PCOMP_EVENT_LOCK_RELEASE, lock);
}

/* Location 0 holds it from 5 to 100 (four events inside), location 1 asks at 60 and gets it 3 after the release. */
Test(replay_lock, a_waiter_comes_after_the_release_with_the_measured_hand_over)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_LOCK_REQUEST, LOCK);
    case_event(c, 0, 15, PCOMP_EVENT_LOCK_ACQUIRED, LOCK); /* 5 */
    for (uint64_t i = 0; i < 4; i++)
        case_event(c, 0, 40 + i * 20, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 0, 160, PCOMP_EVENT_LOCK_RELEASE, LOCK); /* 100 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    wait_and_hold(c, 1, LOCK, 70, 82, 173, 193); /* 60, 62, 103, 113 */
    case_replay(c);
    TIMES(c, 1, 0, 60, 62, 103, 113);
    cr_assert_eq(c->wait_count, 1);
    cr_expect_eq(c->waits[0].kind, REPLAY_WAIT_LOCK);
    cr_expect_eq(c->waits[0].measured, FIXED(170 - 92));
    cr_expect_eq(c->waits[0].approximated, FIXED(38));
    cr_expect_eq(c->waits[0].cause, 0);
    cr_expect_eq(c->waits[0].cause_event, 6);
    free(c);
}

/* Measured, location 1 finds it free; in truth it asks while location 0 has it. */
Test(replay_lock, one_that_was_free_is_taken_at_once_after_the_release)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    hold(c, 0, LOCK, 60, 71, 131); /* 50, 51, 101 */
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 1, i * 15, PCOMP_EVENT_UNWIND, 1);
    hold(c, 1, LOCK, 150, 161, 176); /* 50; 51 by itself, 101; 106 */
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 10), 50);
    cr_expect_eq(case_time(c, 1, 11), 101);
    cr_expect_eq(case_time(c, 1, 12), 106);
    free(c);
}

Test(replay_lock, the_order_of_acquisition_is_kept)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    hold(c, 0, LOCK, 200, 210, 220); /* 190 */
    for (uint64_t i = 0; i < 30; i++)
        case_event(c, 1, i * 10, PCOMP_EVENT_UNWIND, 1);
    hold(c, 1, LOCK, 300, 310, 330); /* 0 by itself, but after location 0 */
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 31), 190);
    cr_expect_eq(case_time(c, 1, 32), 200);
    free(c);
}

Test(replay_lock, failed_requests_have_no_cause)
{
    struct replay_case *c = case_new(2, 10);
    hold(c, 0, LOCK, 0, 10, 200);
    case_event(c, 1, 20, PCOMP_EVENT_LOCK_REQUEST, LOCK);
    case_event(c, 1, 35, PCOMP_EVENT_LOCK_FAILED, LOCK);
    case_event(c, 1, 50, PCOMP_EVENT_LOCK_REQUEST, LOCK);
    case_event(c, 1, 65, PCOMP_EVENT_LOCK_WAIT, LOCK);
    case_event(c, 1, 165, PCOMP_EVENT_LOCK_FAILED, LOCK);
    case_replay(c);
    TIMES(c, 1, 20, 25, 30, 35, 125);
    cr_expect_eq(c->wait_count, 0);
    free(c);
}

/* Two readers overlap; the writer comes after the later one, in the approximation the other one. */
Test(replay_lock, readers_overlap_and_a_writer_comes_after_all_of_them)
{
    struct replay_case *c = case_new(3, 10);
    hold(c, 0, LOCK | READ, 0, 10, 100); /* 0, 0, 80 */
    case_event(c, 1, 0, PCOMP_EVENT_LOCK_REQUEST, LOCK | READ);
    case_event(c, 1, 10, PCOMP_EVENT_LOCK_ACQUIRED, LOCK | READ); /* 0 */
    for (uint64_t i = 0; i < 5; i++)
        case_event(c, 1, 20 + i * 10, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 1, 110, PCOMP_EVENT_LOCK_RELEASE, LOCK | READ);  /* 40 */
    wait_and_hold(c, 2, LOCK, 20, 30, 122, 140);                   /* 20, 20, 80 + 2, 90 */
    case_event(c, 0, 130, PCOMP_EVENT_LOCK_REQUEST, LOCK | READ);  /* 100 */
    case_event(c, 0, 145, PCOMP_EVENT_LOCK_WAIT, LOCK | READ);     /* 105 */
    case_event(c, 0, 157, PCOMP_EVENT_LOCK_ACQUIRED, LOCK | READ); /* measured 2 after it was ready: 107 */
    case_replay(c);
    TIMES(c, 2, 20, 20, 82, 90);
    cr_expect_eq(case_time(c, 0, 5), 107);
    free(c);
}

/* As measured, one reads after the other; in truth at the same time. */
Test(replay_lock, readers_do_not_wait_for_readers)
{
    struct replay_case *c = case_new(2, 10);
    hold(c, 0, LOCK | READ, 0, 10, 110); /* 0, 0, 90 */
    for (uint64_t i = 0; i < 12; i++)
        case_event(c, 1, i * 10, PCOMP_EVENT_UNWIND, 1);
    hold(c, 1, LOCK | READ, 120, 130, 140); /* 0, 0, 0 */
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 13), 0);
    free(c);
}

Test(replay_lock, an_acquisition_without_a_request_is_refused)
{
    struct replay_case *c = case_new(1, 10);
    case_event(c, 0, 0, PCOMP_EVENT_LOCK_REQUEST, LOCK);
    case_event(c, 0, 10, PCOMP_EVENT_LOCK_ACQUIRED, LOCK + 64);
    cr_expect_eq(case_replay(c), REPLAY_BAD_INPUT);
    cr_expect_eq(c->result.error_event, 1);
    free(c);
}

/* --- condition variables -------------------------------------------------------------------------------------------
 */

static void cond_wait(struct replay_case *c, uint32_t location, uint64_t wait, uint64_t woken, uint64_t timed_out)
{
    case_event_long(c, location, wait, PCOMP_EVENT_COND_WAIT, CONDITION, LOCK, 0);
    case_event_long(c, location, woken, PCOMP_EVENT_COND_WOKEN, CONDITION, LOCK, timed_out);
}

/* Signalled with the mutex held: the waiter goes on after the release. */
Test(replay_condition, a_waiter_comes_after_the_signal_and_the_mutex)
{
    struct replay_case *c = case_new(2, 10);
    hold(c, 1, LOCK, 0, 10, 30);
    c->words[1] -= 2;                                                     /* instead of the release: */
    case_event_long(c, 1, 20, PCOMP_EVENT_COND_WAIT, CONDITION, LOCK, 0); /* 0 */
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 110, PCOMP_EVENT_LOCK_REQUEST, LOCK);                  /* 100 */
    case_event(c, 0, 120, PCOMP_EVENT_LOCK_ACQUIRED, LOCK);                 /* 100 */
    case_event(c, 0, 150, PCOMP_EVENT_COND_SIGNAL, CONDITION);              /* 120 */
    case_event(c, 0, 190, PCOMP_EVENT_LOCK_RELEASE, LOCK);                  /* 150 */
    case_event_long(c, 1, 207, PCOMP_EVENT_COND_WOKEN, CONDITION, LOCK, 0); /* 157 */
    case_replay(c);
    TIMES(c, 1, 0, 0, 0, 157);
    cr_assert_eq(c->wait_count, 1);
    cr_expect_eq(c->waits[0].kind, REPLAY_WAIT_CONDITION);
    cr_expect_eq(c->waits[0].measured, FIXED(200 - 30));
    cr_expect_eq(c->waits[0].approximated, FIXED(150));
    free(c);
}

Test(replay_condition, each_signal_wakes_one_and_the_earliest_is_taken_first)
{
    struct replay_case *c = case_new(3, 0);
    case_event(c, 0, 10, PCOMP_EVENT_COND_SIGNAL, CONDITION); /* nobody waits: lost */
    case_event(c, 0, 100, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    case_event(c, 0, 200, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    cond_wait(c, 1, 20, 205, 0);
    cond_wait(c, 2, 30, 203, 0);
    case_replay(c);
    cr_assert_eq(c->wait_count, 2);
    cr_expect_eq(c->waits[0].location, 2);
    cr_expect_eq(c->waits[0].cause_event, 1);
    cr_expect_eq(c->waits[1].location, 1);
    cr_expect_eq(c->waits[1].cause_event, 2);
    free(c);
}

Test(replay_condition, a_broadcast_wakes_all_who_wait_and_nobody_later)
{
    struct replay_case *c = case_new(4, 0);
    case_event(c, 0, 100, PCOMP_EVENT_COND_BROADCAST, CONDITION);
    case_event(c, 0, 300, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    cond_wait(c, 1, 20, 150, 0);
    cond_wait(c, 2, 30, 160, 0);
    cond_wait(c, 3, 120, 310, 0);
    case_replay(c);
    cr_assert_geq(c->wait_count, 3);
    for (uint32_t i = 0; i < c->wait_count; i++)
        if (c->waits[i].kind == REPLAY_WAIT_CONDITION)
            cr_expect_eq(c->waits[i].cause_event, c->waits[i].location == 3 ? 1 : 0);
    free(c);
}

/* The one who came later is woken by the later signal, and is the first to go on. */
Test(replay_condition, a_signal_before_the_wait_is_not_its_cause)
{
    struct replay_case *c = case_new(3, 0);
    case_event(c, 0, 100, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    case_event(c, 0, 200, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    cond_wait(c, 1, 20, 230, 0);
    cond_wait(c, 2, 120, 205, 0);
    case_replay(c);
    cr_assert_eq(c->wait_count, 2);
    cr_expect_eq(c->waits[0].location, 2);
    cr_expect_eq(c->waits[0].cause_event, 1);
    cr_expect_eq(c->waits[1].cause_event, 0);
    free(c);
}

/* The mutex is free from the wait on, in truth not before 90. */
Test(replay_condition, waiting_releases_the_mutex)
{
    struct replay_case *c = case_new(2, 10);
    hold(c, 0, LOCK, 0, 10, 110);
    c->words[0] -= 2;                                                      /* instead of the release: */
    case_event_long(c, 0, 110, PCOMP_EVENT_COND_WAIT, CONDITION, LOCK, 0); /* 90 */
    for (uint64_t i = 0; i < 12; i++)
        case_event(c, 1, i * 10, PCOMP_EVENT_UNWIND, 1);
    hold(c, 1, LOCK, 121, 131, 141); /* 1, 90 instead of 1, 90 */
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 13), 90);
    free(c);
}

Test(replay_condition, time_outs_and_causeless_waking_last_as_long_as_they_did)
{
    struct replay_case *c = case_new(2, 10);
    cond_wait(c, 1, 20, 130, 1);  /* 20, 120 */
    cond_wait(c, 1, 150, 260, 0); /* 130, 230: nobody signalled */
    case_event(c, 0, 300, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    case_replay(c);
    TIMES(c, 1, 20, 120, 130, 230);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_condition, a_signal_to_one_who_timed_out_wakes_no_one_later)
{
    struct replay_case *c = case_new(3, 0);
    case_event(c, 0, 100, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    case_event(c, 0, 300, PCOMP_EVENT_COND_SIGNAL, CONDITION);
    cond_wait(c, 1, 20, 105, 1);
    cond_wait(c, 2, 200, 305, 0);
    case_replay(c);
    cr_assert_eq(c->wait_count, 1);
    cr_expect_eq(c->waits[0].location, 2);
    cr_expect_eq(c->waits[0].cause_event, 1);
    free(c);
}

Test(replay_condition, a_waking_without_waiting_is_refused)
{
    struct replay_case *c = case_new(1, 10);
    case_event_long(c, 0, 10, PCOMP_EVENT_COND_WOKEN, CONDITION, LOCK, 0);
    cr_expect_eq(case_replay(c), REPLAY_BAD_INPUT);
    free(c);
}
