/* Rules of advance and await on executions worked by hand. Alpha is 10 unless said. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000, OBJECT = 0x2000, OTHER = 0x3000 };

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
