/* List scheduling of small graphs; a replay on so many processors; stretches without a processor. */
#include "compensation/replay/cores/core_schedule.h"
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define B 64u /* a barrier, a lock */

static uint32_t add(struct core_graph *g, uint32_t kind, uint32_t location, uint32_t cause, int64_t own, int64_t delay)
{
    return core_graph_add(
        g, &(struct core_node){.kind = kind, .location = location, .cause = cause, .own = own, .delay = delay});
}

static int64_t time_of(const struct core_plan *plan, uint32_t location, uint64_t event)
{
    const struct core_time *planned = core_plan_time(plan, location, event);
    cr_assert_not_null(planned);
    return planned->time;
}

static int64_t length_on(struct core_graph *g, uint32_t locations, uint32_t cores, int64_t slice)
{
    struct core_plan plan;
    cr_assert(core_schedule(g, locations, &(struct core_machine){cores, slice, 1}, &plan));
    int64_t length = core_plan_length(&plan);
    for (uint32_t i = 0; i < g->count; i++) { /* as it was, for the next schedule */
        g->nodes[i].time = INT64_MIN;
        g->nodes[i].waiter = 0;
    }
    core_plan_free(&plan);
    return length;
}

Test(core_schedule, work_takes_turns_on_one_processor)
{
    struct core_graph g = {0};
    for (uint32_t i = 0; i < 3; i++)
        add(&g, CORE_WORK, i, CORE_NONE, 100, 0);
    cr_expect_eq(length_on(&g, 3, 1, 1000), 300);
    cr_expect_eq(length_on(&g, 3, 2, 1000), 200);
    cr_expect_eq(length_on(&g, 3, 2, 10), 150); /* in slices */
    cr_expect_eq(length_on(&g, 3, 3, 1000), 100);
    core_graph_free(&g);
}

Test(core_schedule, work_at_a_slower_pace_takes_longer)
{
    struct core_graph g = {0};
    struct core_plan plan;
    add(&g, CORE_WORK, 0, CORE_NONE, 100, 0);
    cr_assert(core_schedule(&g, 1, &(struct core_machine){1, 1000, 1.5}, &plan));
    cr_expect_eq(core_plan_length(&plan), 150);
    core_plan_free(&plan);
    core_graph_free(&g);
}

Test(core_schedule, who_waits_gives_up_its_processor)
{
    struct core_graph g = {0};
    struct core_plan plan;
    uint32_t enters[2] = {add(&g, CORE_WORK, 0, CORE_NONE, 10, 0), add(&g, CORE_WORK, 1, CORE_NONE, 50, 0)};
    uint32_t last = core_graph_join(&g, enters[0], enters[1]);
    add(&g, CORE_WAIT, 0, last, 0, 5);
    add(&g, CORE_WAIT, 1, last, 0, 5);
    cr_assert(core_schedule(&g, 2, &(struct core_machine){1, 1000, 1}, &plan));
    cr_expect_eq(time_of(&plan, 0, 0), 10);
    cr_expect_eq(time_of(&plan, 1, 0), 60);
    cr_expect_eq(time_of(&plan, 1, 1), 65); /* it need not wait, and keeps the processor */
    cr_expect_eq(time_of(&plan, 0, 1), 65);
    cr_expect_eq(core_plan_time(&plan, 1, 0)->queued, 10);
    cr_expect_null(core_plan_time(&plan, 0, 2));
    cr_expect_null(core_plan_time(&plan, 2, 0));
    core_plan_free(&plan);
    core_graph_free(&g);
}

Test(core_schedule, idle_time_needs_no_processor)
{
    struct core_graph g = {0};
    core_graph_add(&g, &(struct core_node){.kind = CORE_WORK, .location = 0, .cause = CORE_NONE, .idle = 100});
    add(&g, CORE_WORK, 1, CORE_NONE, 100, 0);
    cr_expect_eq(length_on(&g, 2, 1, 1000), 100);
    core_graph_free(&g);
}

/* Location 1 had the lock first as measured; on one processor location 0 comes first. */
static void add_critical(struct core_graph *g, uint32_t location, uint32_t kind, uint32_t cause, uint32_t use)
{
    core_graph_add(g,
                   &(struct core_node){.kind = kind, .location = location, .cause = cause, .own = 10, .lock = 4 + use});
    core_graph_add(g, &(struct core_node){.kind = CORE_WORK,
                                          .location = location,
                                          .cause = CORE_NONE,
                                          .own = 20,
                                          .lock = 4 + (use == CORE_ACQUIRES ? CORE_RELEASES : use)});
}

Test(core_schedule, a_mutex_is_had_by_who_comes_first)
{
    for (uint32_t use = CORE_ACQUIRES; use <= CORE_IN_ORDER; use += CORE_IN_ORDER - CORE_ACQUIRES) {
        struct core_graph g = {0};
        struct core_plan plan;
        add_critical(&g, 1, CORE_PASS, CORE_NONE, use);
        add_critical(&g, 0, CORE_WAIT, 1, use);
        cr_assert(core_schedule(&g, 2, &(struct core_machine){1, 1000, 1}, &plan));
        cr_expect_eq(time_of(&plan, 0, 0), use == CORE_ACQUIRES ? 10 : 40);
        cr_expect_eq(time_of(&plan, 1, 1), use == CORE_ACQUIRES ? 60 : 40);
        core_plan_free(&plan);
        core_graph_free(&g);
    }
}

Test(core_schedule, a_plan_has_how_long_a_mutex_is_waited_for)
{
    for (uint32_t use = CORE_ACQUIRES; use <= CORE_IN_ORDER; use += CORE_IN_ORDER - CORE_ACQUIRES) {
        struct core_graph g = {0};
        struct core_plan plan;
        add_critical(&g, 0, CORE_PASS, CORE_NONE, use);
        add_critical(&g, 1, CORE_WAIT, 1, use);
        cr_assert(core_schedule(&g, 2, &(struct core_machine){2, 1000, 1}, &plan));
        cr_expect_eq(time_of(&plan, 1, 0), 30);
        cr_expect_eq(core_plan_time(&plan, 0, 0)->waited, use == CORE_ACQUIRES ? 0 : CORE_AS_MEASURED);
        cr_expect_eq(core_plan_time(&plan, 1, 0)->waited, use == CORE_ACQUIRES ? 20 : CORE_AS_MEASURED);
        cr_expect_eq(core_plan_time(&plan, 1, 1)->waited, CORE_AS_MEASURED);
        core_plan_free(&plan);
        core_graph_free(&g);
    }
}

/* --- with the replay -----------------------------------------------------------------------------------------------
 */

/* Two threads of 100 and 300 ticks that meet at a barrier, and then take 50 more each. */
static struct replay_case *make_barrier(void)
{
    struct replay_case *c = case_new(2, 0);
    for (uint32_t i = 0; i < 2; i++) {
        case_event(c, i, 0, PCOMP_EVENT_ENTER, 16);
        case_event_long(c, i, i ? 300 : 100, PCOMP_EVENT_BARRIER_ENTER, B, 2, 0);
        case_event(c, i, 300, PCOMP_EVENT_BARRIER_EXIT, B);
        case_event(c, i, 350, PCOMP_EVENT_LOCK_RELEASE, 2 * B + i * B);
    }
    return c;
}

static void replay_on(struct replay_case *c, uint32_t cores)
{
    struct core_graph graph = {0};
    struct core_plan plan;
    c->options.graph = &graph;
    cr_assert_eq(case_replay(c), REPLAY_DONE);
    cr_assert(core_schedule(&graph, c->count, &(struct core_machine){cores, FIXED(1000000), 1}, &plan));
    c->options.graph = NULL;
    c->options.plan = &plan;
    cr_assert_eq(case_replay(c), REPLAY_DONE);
    c->options.plan = NULL;
    core_plan_free(&plan);
    core_graph_free(&graph);
}

Test(core_schedule, a_replay_has_the_times_of_its_plan)
{
    struct replay_case *c = make_barrier();
    replay_on(c, 2);
    TIMES(c, 0, 0, 100, 300, 350);
    TIMES(c, 1, 0, 300, 300, 350);
    free(c);
    c = make_barrier();
    replay_on(c, 1);
    TIMES(c, 0, 0, 100, 450, 500);
    TIMES(c, 1, 0, 400, 400, 450);
    cr_expect_eq(c->result.approximated, FIXED(500));
    cr_expect_eq(c->result.waiting_approximated[REPLAY_WAIT_PROCESSOR], FIXED(100 + 50));
    free(c);
}

/* Location 1 had the mutex first; on one processor it comes when 0 has released it. */
Test(core_schedule, a_replay_reports_the_waits_for_a_mutex_that_its_plan_has)
{
    struct replay_case *c = case_new(2, 0);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, 16);
    case_event(c, 0, 110, PCOMP_EVENT_LOCK_REQUEST, B);
    case_event(c, 0, 110, PCOMP_EVENT_LOCK_WAIT, B);
    case_event(c, 0, 130, PCOMP_EVENT_LOCK_ACQUIRED, B);
    case_event(c, 0, 150, PCOMP_EVENT_LOCK_RELEASE, B);
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, 16);
    case_event(c, 1, 100, PCOMP_EVENT_LOCK_REQUEST, B);
    case_event(c, 1, 100, PCOMP_EVENT_LOCK_ACQUIRED, B);
    case_event(c, 1, 130, PCOMP_EVENT_LOCK_RELEASE, B);
    replay_on(c, 1);
    TIMES(c, 0, 0, 110, 110, 110, 130);
    TIMES(c, 1, 0, 230, 230, 260);
    cr_expect_eq(c->result.waiting_measured[REPLAY_WAIT_LOCK], FIXED(20));
    cr_expect_eq(c->result.waiting_approximated[REPLAY_WAIT_LOCK], 0);
    free(c);
}

/* 40 of the 100 ticks from 110 on without a processor; recording that took 10. */
static struct replay_case *make_preempted(void)
{
    struct replay_case *c = case_new(1, 0);
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, 16);
    case_event_long(c, 0, 100, PCOMP_EVENT_PREEMPTED, 10, 40, 100);
    case_event(c, 0, 160, PCOMP_EVENT_ENTER, 32);
    case_event(c, 0, 210, PCOMP_EVENT_EXIT, 32);
    case_event_long(c, 0, 210, PCOMP_EVENT_PREEMPTED, 5, 0, 0);
    case_event(c, 0, 220, PCOMP_EVENT_EXIT, 16);
    return c;
}

Test(core_schedule, time_without_a_processor_is_taken_out)
{
    struct replay_case *c = make_preempted();
    case_replay(c);
    TIMES(c, 0, 100, 100, 130, 160, 160, 165);
    cr_expect_eq(c->result.direct_perturbation, FIXED(15)); /* not the time without */
    cr_expect_eq(c->result.waiting_measured[REPLAY_WAIT_PROCESSOR], FIXED(40));
    cr_expect_eq(c->result.waiting_approximated[REPLAY_WAIT_PROCESSOR], 0);
    free(c);
    case_expect_same_in_blocks(make_preempted);
}

Test(core_schedule, a_damaged_stretch_takes_no_more_than_its_time)
{
    struct replay_case *c = case_new(1, 0);
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, 16);
    case_event_long(c, 0, 100, PCOMP_EVENT_PREEMPTED, 0, UINT64_MAX, 50);
    case_event_long(c, 0, 200, PCOMP_EVENT_PREEMPTED, PCOMP_EVENT_VALUE, UINT64_MAX, UINT64_MAX);
    case_event(c, 0, 250, PCOMP_EVENT_EXIT, 16);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    TIMES(c, 0, 100, 100, 150, 200);
    free(c);
}

/* One processor: the waiter of 0 is woken at 100, and goes on when 1 gives the processor up at 300. */
Test(core_schedule, a_wake_up_that_waited_for_a_processor_is_shorter_with_one)
{
    for (uint32_t processors = 0; processors <= 1; processors++) {
        struct replay_case *c = case_new(2, 0);
        c->options.processors = processors;
        case_event_long(c, 0, 0, PCOMP_EVENT_SEM_INIT, B, 0, 0);
        case_event(c, 0, 0, PCOMP_EVENT_SEM_REQUEST, B);
        case_event(c, 0, 10, PCOMP_EVENT_SEM_WAIT, B);
        case_event(c, 0, 310, PCOMP_EVENT_SEM_TAKEN, B);
        case_event(c, 1, 0, PCOMP_EVENT_ENTER, 16);
        case_event(c, 1, 100, PCOMP_EVENT_SEM_V, B);
        case_event(c, 1, 300, PCOMP_EVENT_JOIN_BEGIN, 9);
        cr_expect_eq(case_replay(c), REPLAY_DONE);
        TIMES(c, 0, 0, 0, 10, processors ? 110 : 310);
        free(c);
    }
}

/* --- what if a function were faster --------------------------------------------------------------------------------
 */

static double half_of_32(void *context, uint32_t process, uint64_t function)
{
    (void)context;
    (void)process;
    return function == 32 ? 0.5 : 1;
}

static struct replay_case *make_faster(void)
{
    struct replay_case *c = make_barrier();
    c->options.own_time = half_of_32;
    case_event(c, 1, 350, PCOMP_EVENT_ENTER, 32);
    case_event(c, 1, 450, PCOMP_EVENT_ENTER, 48);
    case_event(c, 1, 550, PCOMP_EVENT_EXIT, 48);
    case_event(c, 1, 650, PCOMP_EVENT_EXIT, 32);
    case_event(c, 1, 700, PCOMP_EVENT_EXIT, 16);
    return c;
}

Test(core_schedule, a_faster_function_saves_its_own_time_alone)
{
    struct replay_case *c = make_faster();
    case_replay(c);
    TIMES(c, 1, 0, 300, 300, 350, 350, 400, 500, 550, 600);
    cr_expect_eq(c->result.direct_perturbation, 0); /* what is saved is no overhead */
    free(c);
    case_expect_same_in_blocks(make_faster);
}

static double half_of_16(void *context, uint32_t process, uint64_t function)
{
    (void)context;
    (void)process;
    return function == 16 ? 0.5 : 1;
}

Test(core_schedule, a_faster_function_saves_waiting_elsewhere)
{
    struct replay_case *c = make_barrier();
    c->options.own_time = half_of_16;
    case_replay(c);
    TIMES(c, 0, 0, 50, 150, 175);
    TIMES(c, 1, 0, 150, 150, 175);
    free(c);
}

/* 32 falls inside 48, which it called: it ends with 48, and what follows is 16's own time. */
Test(core_schedule, a_function_that_is_counted_from_some_time_on_saves_nothing_behind)
{
    struct replay_case *c = case_new(1, 0);
    c->options.own_time = half_of_32;
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, 16);
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, 32);
    case_event(c, 0, 200, PCOMP_EVENT_ENTER, 48);
    case_event(c, 0, 300, PCOMP_EVENT_COUNTED, 32);
    case_event(c, 0, 400, PCOMP_EVENT_EXIT, 48);
    case_event(c, 0, 500, PCOMP_EVENT_EXIT, 16);
    case_replay(c);
    TIMES(c, 0, 0, 100, 150, 250, 350, 450);
    free(c);
}
