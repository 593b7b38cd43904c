/* The replay of one location: independent events, flushes, losses, clamping, blocks, and bad input. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000 };

/* 1991 eq. 2: t_a(e_i) = t_m(e_i) - (i - 1) * alpha. */
Test(replay_scan, each_event_loses_the_overhead_of_those_before_it)
{
    for (int model = REPLAY_TIME; model <= REPLAY_EVENT; model++) {
        struct replay_case *c = case_new(1, 10);
        c->options.model = (enum replay_model)model;
        case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
        case_event(c, 0, 150, PCOMP_EVENT_ENTER, F + 16);
        case_event(c, 0, 200, PCOMP_EVENT_EXIT, F + 16);
        case_event(c, 0, 300, PCOMP_EVENT_EXIT, F);
        case_replay(c);
        TIMES(c, 0, 100, 140, 180, 270);
        cr_expect_eq(c->result.measured, 200);
        cr_expect_eq(c->result.approximated, FIXED(170), "T_a = T_m - alpha * (N - 1)");
        cr_expect_eq(c->result.direct_perturbation, FIXED(30));
        cr_expect_eq(c->result.events, 4);
        cr_expect_eq(c->result.origin, 100);
        cr_expect_eq(c->results[0].last_approximated, FIXED(170));
        free(c);
    }
}

Test(replay_scan, kinds_have_their_own_overhead_and_fractions_of_ticks_add_up)
{
    struct replay_case *c = case_new(1, 0);
    c->alpha[PCOMP_EVENT_ENTER] = FIXED(3) / 2;
    c->alpha[PCOMP_EVENT_EXIT] = FIXED(1) / 4;
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);  /* 0 */
    case_event(c, 0, 10, PCOMP_EVENT_EXIT, F);  /* 8.5 */
    case_event(c, 0, 20, PCOMP_EVENT_ENTER, F); /* 18.25 */
    case_event(c, 0, 30, PCOMP_EVENT_EXIT, F);  /* 26.75 */
    case_event(c, 0, 40, PCOMP_EVENT_UNWIND, 1);
    case_replay(c);
    TIMES(c, 0, 0, 9, 18, 27, 37);
    cr_expect_eq(c->result.approximated, FIXED(36) + FIXED(1) / 2);
    free(c);
}

/* Alpha is a mean, so an interval can be shorter than it; the sum goes on as if nothing had been. */
Test(replay_scan, what_is_written_never_steps_back_and_the_running_time_is_not_clamped)
{
    struct replay_case *c = case_new(1, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 110, PCOMP_EVENT_ENTER, F); /* 100 */
    case_event(c, 0, 115, PCOMP_EVENT_ENTER, F); /* 95 */
    case_event(c, 0, 116, PCOMP_EVENT_EXIT, F);  /* 86 */
    case_event(c, 0, 117, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 0, 118, PCOMP_EVENT_SEM_V, F);
    case_event(c, 0, 220, PCOMP_EVENT_EXIT, F);
    case_replay(c);
    TIMES(c, 0, 0, 100, 100, 100, 100, 100, 160);
    free(c);
}

Test(replay_scan, a_flush_is_removed_whole_and_counts_as_perturbation)
{
    struct replay_case *c = case_new(1, 10);
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 200, PCOMP_EVENT_FLUSH_BEGIN, 0);
    case_event(c, 0, 215, PCOMP_EVENT_FLUSH_BEGIN, 0); /* one inside the other */
    case_event(c, 0, 220, PCOMP_EVENT_LOST, 7);
    case_event(c, 0, 235, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 0, 300, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 0, 330, PCOMP_EVENT_EXIT, F);
    case_replay(c);
    TIMES(c, 0, 100, 190, 190, 190, 190, 190, 210);
    cr_expect_eq(c->result.direct_perturbation, FIXED(10 + 100 + 10));
    cr_expect_eq(c->result.lost, 7);
    free(c);
}

/* 6 events of 5 ticks in the 100 ticks from 110 on: 0.3 of each of them. */
static struct replay_case *make_held(void)
{
    struct replay_case *c = case_new(1, 10);
    c->alpha[PCOMP_EVENT_UNRECORDED] = FIXED(5);
    c->alpha[PCOMP_EVENT_SUPPRESSED] = 0;
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event_long(c, 0, 100, PCOMP_EVENT_UNRECORDED, 10, 6, 100);
    case_event(c, 0, 130, PCOMP_EVENT_ENTER, F + 16);
    case_event(c, 0, 160, PCOMP_EVENT_EXIT, F + 16);
    case_event(c, 0, 200, PCOMP_EVENT_LOCK_REQUEST, 64);
    case_event(c, 0, 300, PCOMP_EVENT_LOCK_ACQUIRED, 64);
    case_event_long(c, 0, 310, PCOMP_EVENT_SUPPRESSED, F + 32, 3, 100);
    case_event(c, 0, 330, PCOMP_EVENT_EXIT, F);
    return c;
}

Test(replay_scan, what_was_not_recorded_is_taken_out_evenly_of_its_span)
{
    for (int model = REPLAY_TIME; model <= REPLAY_EVENT; model++) {
        struct replay_case *c = make_held();
        c->options.model = (enum replay_model)model;
        case_replay(c);
        /* 90: alpha of the first enter; 114: of 30 ticks 20 in the span, 6 off; ... */
        TIMES(c, 0, 100, 100, 114, 125, 143, 230, 230, 250);
        cr_expect_eq(c->result.direct_perturbation, FIXED(5 * 10 + 30));
        cr_expect_eq(c->result.suppressed, 3);
        free(c);
    }
    case_expect_same_in_blocks(make_held);
}

/* Events cost two ticks more than alpha, known to half a tick each; the record of a call that is counted has no alpha.
 */
static struct replay_case *make_context(void)
{
    struct replay_case *c = case_new(1, 3);
    c->alpha[PCOMP_EVENT_COUNTED] = FIXED(1);
    c->locations[0].context = (struct alpha_context){.more = FIXED(2), .error = FIXED(1) / 2};
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 200, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 300, PCOMP_EVENT_EXIT, F);
    case_event(c, 0, 400, PCOMP_EVENT_SEM_V, 64);
    case_event(c, 0, 500, PCOMP_EVENT_COUNTED, F);
    case_event(c, 0, 600, PCOMP_EVENT_EXIT, F);
    return c;
}

Test(replay_scan, events_cost_more_among_the_work_of_a_program)
{
    for (int model = REPLAY_TIME; model <= REPLAY_EVENT; model++) {
        struct replay_case *c = make_context();
        c->options.model = (enum replay_model)model;
        case_replay(c);
        TIMES(c, 0, 100, 195, 290, 385, 480, 580);
        cr_expect_eq(c->result.critical_path.removed, FIXED(20));
        cr_expect_float_eq(c->result.critical_path.doubt, FIXED(5) / 2.0, 1e-9);
        free(c);
    }
    case_expect_same_in_blocks(make_context);
}

/* 50 calls of 1 tick in the 100 ticks from 110 on, and samples take a quarter of a tenth of what is left: 0.5125. */
static struct replay_case *make_counted(void)
{
    struct replay_case *c = case_new(1, 10);
    c->alpha[PCOMP_EVENT_CALLS] = FIXED(4);
    c->alpha[PCOMP_EVENT_COUNTED] = FIXED(1);
    c->alpha[PCOMP_ALPHA_COUNTED_ERROR] = FIXED(1) / 2;
    c->alpha[PCOMP_ALPHA_SAMPLING] = PCOMP_ALPHA_SAMPLING_ONE / 40;
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event_long(c, 0, 100, PCOMP_EVENT_CALLS, 20, 50, 100);
    case_event(c, 0, 160, PCOMP_EVENT_EXIT, F);
    case_event(c, 0, 240, PCOMP_EVENT_COUNTED, F);
    return c;
}

Test(replay_scan, calls_counted_in_place_are_taken_out_with_their_error)
{
    for (int model = REPLAY_TIME; model <= REPLAY_EVENT; model++) {
        struct replay_case *c = make_counted();
        c->options.model = (enum replay_model)model;
        case_replay(c);
        /* 60 ticks less 10 + 4 of the two records before and 40 of 100 calls' ticks, ... */
        TIMES(c, 0, 100, 100, 126, 165);
        cr_expect_eq(c->result.counted, 50);
        cr_expect_float_eq(c->result.critical_path.counted, (double)FIXED(51.25), FIXED(1));
        cr_expect_float_eq(c->result.critical_path.doubt, (double)FIXED(25), FIXED(1));
        free(c);
    }
    case_expect_same_in_blocks(make_counted);
}

/* A quarter of the time that it runs; none of the time that it waits. */
static struct replay_case *make_sites(void)
{
    struct replay_case *c = case_new(1, 0);
    c->locations[0].sites.share = 0.25;
    c->locations[0].sites.share_doubt = 0.5;
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 200, PCOMP_EVENT_EXIT, F);
    case_event(c, 0, 300, PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_POLL);
    case_event_long(c, 0, 350, PCOMP_EVENT_SUPPRESSED, F, 1, 0);
    case_event(c, 0, 400, PCOMP_EVENT_EXTERNAL_END, PCOMP_EXTERNAL_POLL);
    case_event(c, 0, 440, PCOMP_EVENT_SEM_V, 64);
    case_event(c, 0, 480, PCOMP_EVENT_SEM_REQUEST, 64);
    case_event(c, 0, 490, PCOMP_EVENT_SEM_PASSED, 64);
    case_event(c, 0, 500, PCOMP_EVENT_SEM_TAKEN, 64);
    return c;
}

Test(replay_scan, no_op_sites_take_a_share_of_what_runs)
{
    for (int model = REPLAY_TIME; model <= REPLAY_EVENT; model++) {
        struct replay_case *c = make_sites();
        c->options.model = (enum replay_model)model;
        case_replay(c);
        TIMES(c, 0, 100, 175, 250, 300, 350, 380, 410, 420, 430);
        const struct replay_path *path = &c->result.critical_path;
        cr_expect_float_eq(path->sites, (double)FIXED(70), 1e-9);
        cr_expect_float_eq(path->counted, (double)FIXED(70), 1e-9);
        cr_expect_float_eq(path->doubt, (double)FIXED(35), 1e-9);
        cr_expect_eq(path->removed, FIXED(70));
        free(c);
    }
    case_expect_same_in_blocks(make_sites);
}

Test(replay_scan, no_op_sites_take_nothing_of_a_wait)
{
    struct replay_case *c = case_new(2, 0);
    c->locations[0].sites.share = 0.5;
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 1, 100, PCOMP_EVENT_ENTER, F);
    case_event_long(c, 1, 200, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    case_event_long(c, 0, 400, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    case_event(c, 0, 420, PCOMP_EVENT_BARRIER_EXIT, 64);
    case_event(c, 1, 430, PCOMP_EVENT_BARRIER_EXIT, 64);
    case_replay(c);
    TIMES(c, 0, 100, 250, 270);
    TIMES(c, 1, 100, 200, 280);
    free(c);
}

Test(replay_scan, no_op_sites_of_counted_calls_are_taken_out_where_these_are)
{
    struct replay_case *c = make_counted();
    c->alpha[PCOMP_ALPHA_SAMPLING] = 0;
    c->locations[0].sites = (struct replay_sites){.call = FIXED(1) / 4, .call_doubt = 0.5};
    case_replay(c);
    /* a tick and a quarter of each call, of which 20 come in 40 ticks, and the other 30 then */
    TIMES(c, 0, 100, 100, 121, 154);
    const struct replay_path *path = &c->result.critical_path;
    cr_expect_float_eq(path->sites, (double)FIXED(12.5), FIXED(1));
    cr_expect_float_eq(path->doubt, (double)FIXED(25 + 6.25), FIXED(1));
    free(c);
}

Test(replay_scan, a_span_leaves_the_event_before_it_the_last)
{
    struct replay_case *c = case_new(2, 10);
    c->alpha[PCOMP_EVENT_COUNTED] = FIXED(1);
    c->alpha[PCOMP_EVENT_CALLS] = 0;
    case_event_long(c, 0, 100, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    case_event_long(c, 1, 150, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    case_event_long(c, 1, 150, PCOMP_EVENT_CALLS, 40, 10, 20);
    case_event(c, 1, 190, PCOMP_EVENT_BARRIER_EXIT, 64);
    case_event(c, 0, 195, PCOMP_EVENT_BARRIER_EXIT, 64);
    case_replay(c);
    TIMES(c, 1, 150, 150, 180);
    TIMES(c, 0, 100, 185);
    free(c);
}

Test(replay_scan, a_span_has_no_more_overhead_than_time)
{
    struct replay_case *c = case_new(1, 0);
    c->alpha[PCOMP_EVENT_UNRECORDED] = FIXED(5);
    case_event_long(c, 0, 100, PCOMP_EVENT_UNRECORDED, 0, 1000000, 100);
    case_event(c, 0, 150, PCOMP_EVENT_ENTER, F);
    case_event_long(c, 0, 200, PCOMP_EVENT_UNRECORDED, UINT64_MAX >> 8, UINT64_MAX, UINT64_MAX); /* damaged */
    case_event(c, 0, 250, PCOMP_EVENT_EXIT, F);
    case_replay(c);
    TIMES(c, 0, 100, 100, 100, 150);
    free(c);
}

/* Alpha of an ENTER or EXIT, in the mean, is 15 from the first flush on: all kinds are half as dear again. */
static struct replay_case *flushes_that_measured(bool constant)
{
    struct replay_case *c = case_new(1, 10);
    c->alpha[PCOMP_EVENT_ENTER] = FIXED(8);
    c->alpha[PCOMP_EVENT_EXIT] = FIXED(12);
    c->options.constant_alpha = constant;
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 200, PCOMP_EVENT_FLUSH_BEGIN, 0);
    case_event(c, 0, 300, PCOMP_EVENT_FLUSH_END, (uint64_t)FIXED(15));
    case_event(c, 0, 400, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 500, PCOMP_EVENT_EXIT, F);
    case_event(c, 0, 600, PCOMP_EVENT_FLUSH_BEGIN, 0);
    case_event(c, 0, 700, PCOMP_EVENT_FLUSH_END, 0); /* not measured: as before */
    case_event(c, 0, 800, PCOMP_EVENT_EXIT, F);
    return c;
}

Test(replay_scan, alpha_is_what_the_last_flush_measured_and_all_kinds_change_alike)
{
    struct replay_case *c = flushes_that_measured(false);
    case_replay(c);
    TIMES(c, 0, 100, 192, 192, 192 + 85, 277 + 88, 365 + 82, 447, 447 + 85);
    free(c);
}

Test(replay_scan, alpha_stays_what_it_was_said_to_be_where_that_is_asked_for)
{
    struct replay_case *c = flushes_that_measured(true);
    case_replay(c);
    TIMES(c, 0, 100, 192, 192, 192 + 90, 282 + 92, 374 + 88, 462, 462 + 90);
    free(c);
}

Test(replay_scan, what_is_out_of_all_proportion_was_not_measured)
{
    const uint64_t absurd[] = {1, PCOMP_EVENT_VALUE};
    for (int i = 0; i < 2; i++) {
        struct replay_case *c = case_new(1, 10);
        case_event(c, 0, 100, PCOMP_EVENT_FLUSH_BEGIN, 0);
        case_event(c, 0, 300, PCOMP_EVENT_FLUSH_END, absurd[i]);
        case_event(c, 0, 400, PCOMP_EVENT_ENTER, F);
        case_event(c, 0, 500, PCOMP_EVENT_EXIT, F);
        case_replay(c);
        TIMES(c, 0, 100, 100, 190, 280);
        free(c);
    }
}

Test(replay_scan, a_flush_that_began_before_the_trace_is_no_flush)
{
    struct replay_case *c = case_new(1, 10);
    case_event(c, 0, 100, PCOMP_EVENT_LOST, 1000);
    case_event(c, 0, 150, PCOMP_EVENT_FLUSH_END, 0);
    case_event(c, 0, 200, PCOMP_EVENT_EXIT, F);
    case_replay(c);
    TIMES(c, 0, 100, 140, 180);
    free(c);
}

Test(replay_scan, a_clock_that_has_run_for_years_is_no_matter)
{
    struct replay_case *c = case_new(2, 10);
    const uint64_t years = UINT64_MAX / 2;
    case_event(c, 0, years + 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, years + 150, PCOMP_EVENT_EXIT, F);
    case_event(c, 1, years, PCOMP_EVENT_ENTER, F);
    case_event(c, 1, years + 50, PCOMP_EVENT_EXIT, F);
    case_replay(c);
    TIMES(c, 0, years + 100, years + 140);
    TIMES(c, 1, years, years + 40);
    cr_expect_eq(c->results[0].last_approximated, FIXED(140));
    free(c);
}

Test(replay_scan, locations_without_events_are_nothing)
{
    struct replay_case *c = case_new(2, 10);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->result.events, 0);
    cr_expect_eq(c->result.approximated, 0);
    case_event(c, 1, 50, PCOMP_EVENT_ENTER, F);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->result.events, 1);
    cr_expect_eq(c->results[0].events, 0);
    cr_expect_eq(c->result.measured, 0);
    free(c);
}

/* With the time-based model, synchronisation is treated like anything else. */
Test(replay_scan, the_time_based_model_knows_no_semaphores)
{
    struct replay_case *c = case_new(1, 10);
    c->options.model = REPLAY_TIME;
    case_event(c, 0, 100, PCOMP_EVENT_SEM_REQUEST, F);
    case_event(c, 0, 120, PCOMP_EVENT_SEM_WAIT, F);
    case_event(c, 0, 500, PCOMP_EVENT_SEM_TAKEN, F);
    case_event_long(c, 0, 600, PCOMP_EVENT_BARRIER_ENTER, F, 2, 0);
    case_event(c, 0, 700, PCOMP_EVENT_BARRIER_EXIT, F);
    case_replay(c);
    TIMES(c, 0, 100, 110, 480, 570, 660);
    cr_expect_eq(c->wait_count, 0);
    free(c);
}

static void expect_error(struct replay_case *c, const char *text, uint32_t location, uint64_t event)
{
    cr_expect_eq(case_replay(c), REPLAY_BAD_INPUT);
    cr_expect_str_eq(c->result.error ? c->result.error : "", text);
    cr_expect_eq(c->result.error_location, location);
    cr_expect_eq(c->result.error_event, event, "event %llu", (unsigned long long)c->result.error_event);
    free(c);
}

static struct replay_case *one_good_event(void)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 1, 100, PCOMP_EVENT_ENTER, F);
    return c;
}

Test(replay_scan, time_that_steps_back_is_refused)
{
    struct replay_case *c = one_good_event();
    case_event(c, 1, 99, PCOMP_EVENT_EXIT, F);
    expect_error(c, "time steps back", 1, 1);
    c = one_good_event();
    case_event(c, 1, 99, PCOMP_EVENT_SEM_V, F);
    expect_error(c, "time steps back", 1, 1);
}

Test(replay_scan, times_that_cannot_be_of_one_run_are_refused)
{
    struct replay_case *c = one_good_event();
    case_event(c, 0, UINT64_MAX - 1, PCOMP_EVENT_EXIT, F);
    expect_error(c, "times lie too far apart", 0, 1);
    c = case_new(2, 10);
    case_event(c, 0, 1, PCOMP_EVENT_ENTER, F);
    case_event(c, 1, UINT64_MAX - 1, PCOMP_EVENT_ENTER, F);
    expect_error(c, "times lie too far apart", 1, 0);
}

Test(replay_scan, unknown_kinds_are_refused)
{
    static const uint32_t kinds[] = {0, 9, 21, 38, 0x7f, 0x8b, 0xa2, 0xff};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct replay_case *c = one_good_event();
        case_event_long(c, 1, 200, kinds[i], F, 0, 0);
        expect_error(c, "a record of unknown kind", 1, 1);
    }
}

Test(replay_scan, records_cut_in_two_are_refused)
{
    struct replay_case *c = one_good_event();
    case_event(c, 1, 200, PCOMP_EVENT_BARRIER_ENTER, F);
    expect_error(c, "a record is cut in two", 1, 1);
}
