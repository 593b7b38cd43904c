/* Awaits whose wait appears or vanishes without the measurement. Alpha is 10. */
#include "compensation/replay/engine/wake_delay.h"
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000, VARIABLE = 0x2000, WAKING = 30, PASSING = 2, TIMES = 40 };

static struct wake_delays seen(int64_t waited, int64_t passed, uint32_t each)
{
    struct wake_delays delays = {0};
    for (uint32_t i = 0; i < each; i++) {
        wake_delay_add(&delays, true, waited + i % 3);
        wake_delay_add(&delays, false, passed + i % 3);
    }
    return delays;
}

Test(wake_delay, a_wait_that_appears_or_vanishes_has_the_delay_of_its_kind)
{
    struct wake_delays delays = seen(300, 10, 100);

    cr_expect_eq(wake_delay_changed(&delays, 12, false, true), 302);
    cr_expect_eq(wake_delay_changed(&delays, 305, true, false), 15);
    cr_expect_eq(wake_delay_changed(&delays, 200, true, false), 0, "and none is negative");
}

Test(wake_delay, what_does_not_change_keeps_its_own)
{
    struct wake_delays delays = seen(300, 10, 100);

    cr_expect_eq(wake_delay_changed(&delays, 5000, true, true), 5000);
    cr_expect_eq(wake_delay_changed(&delays, 5000, false, false), 5000);
}

Test(wake_delay, kinds_that_cannot_be_told_apart_change_nothing)
{
    struct wake_delays delays = seen(11, 10, 100), rare = seen(300, 10, 31);

    cr_expect_eq(wake_delay_changed(&delays, 12, false, true), 12);
    cr_expect_eq(wake_delay_changed(&rare, 12, false, true), 12, "seen too seldom");
}

Test(wake_delay, a_question_is_answered_by_a_few_waits_and_adds_none)
{
    struct wake_delays delays = {0};
    for (int i = 0; i < 4; i++)
        wake_delay_add(&delays, true, 300 + i);
    cr_expect_eq(wake_delay_changed(&delays, 12, false, true), 12);
    wake_delays_ask(&delays);
    cr_expect_eq(wake_delay_changed(&delays, 12, false, true), 302);
    cr_expect_eq(wake_delay_changed(&delays, 320, true, false), 0, "who does not wait goes on at once");
    wake_delay_add(&delays, true, 1);
    cr_expect_eq(delays.waited.count, 4);
}

Test(wake_delay, delays_of_a_kind_and_a_process_are_known_to_the_next_replay)
{
    struct wake_memory memory = {0};
    struct wake_delays *delays = wake_memory_find(&memory, 3, 1);
    wake_delay_add(delays, true, 300);
    cr_expect_eq(wake_memory_find(&memory, 3, 1), delays);
    cr_expect_eq(wake_memory_find(&memory, 3, 2)->waited.count, 0);
    cr_expect_eq(wake_memory_find(&memory, 2, 1)->waited.count, 0);
    wake_memory_free(&memory);
    cr_expect_null(memory.known);
}

Test(wake_delay, a_few_preemptions_change_nothing)
{
    struct wake_delays delays = {0};
    for (uint32_t i = 0; i < 100; i++) {
        wake_delay_add(&delays, true, i % 8 ? 300 : 4000000);
        wake_delay_add(&delays, false, i % 8 ? 10 : 4000000);
    }
    cr_expect_eq(wake_delay_changed(&delays, 10, false, true), 300);
}

/* One that advances and one that awaits, which first waits TIMES times, then finds it there TIMES times. The next free
 * times in *advanced, *awaited, which are the same in both executions but for the overhead. */
static struct replay_case *taught(uint64_t *advanced, uint64_t *awaited, uint32_t *index)
{
    struct replay_case *c = case_new(2, 10);
    uint64_t t = 1000;
    for (*index = 1; *index <= 2 * TIMES; ++*index, t += 1000) {
        bool waits = *index <= TIMES;
        uint64_t advance = t + 100, begin = waits ? t : t + 200;
        case_event_long(c, 0, advance, PCOMP_EVENT_ADVANCE, VARIABLE, *index, 0);
        case_event_long(c, 1, begin, PCOMP_EVENT_AWAIT_BEGIN, VARIABLE, *index, 0);
        case_event_long(c, 1, (waits ? advance + WAKING : begin + PASSING) + 10, PCOMP_EVENT_AWAIT_END, VARIABLE,
                        *index, 0);
    }
    *advanced = *awaited = t;
    return c;
}

Test(replay_await, that_waits_only_without_the_measurement_is_woken)
{
    uint64_t advanced, awaited;
    uint32_t index;
    struct replay_case *c = taught(&advanced, &awaited, &index);
    for (uint32_t i = 0; i < 50; i++) /* 500 ticks of overhead, behind which the advance at +400 hides */
        case_event(c, 1, awaited + 10 * i, PCOMP_EVENT_UNWIND, 1);
    case_event_long(c, 0, advanced + 400, PCOMP_EVENT_ADVANCE, VARIABLE, index, 0);
    case_event_long(c, 1, awaited + 500, PCOMP_EVENT_AWAIT_BEGIN, VARIABLE, index, 0);
    case_event_long(c, 1, awaited + 510 + PASSING, PCOMP_EVENT_AWAIT_END, VARIABLE, index, 0);
    case_replay(c);

    uint64_t advance = case_time(c, 0, 2 * TIMES), end = case_time(c, 1, 4 * TIMES + 51);
    cr_expect_eq(end - advance, WAKING, "%d ticks after the advance", (int)(end - advance));
    free(c);
}

Test(replay_await, that_waits_only_in_the_measurement_goes_on_at_once)
{
    uint64_t advanced, awaited;
    uint32_t index;
    struct replay_case *c = taught(&advanced, &awaited, &index);
    for (uint32_t i = 0; i < 200; i++) /* the other one comes late, by 2000 ticks of overhead */
        case_event(c, 0, advanced + 10 * i, PCOMP_EVENT_UNWIND, 1);
    case_event_long(c, 0, advanced + 2000, PCOMP_EVENT_ADVANCE, VARIABLE, index, 0);
    case_event_long(c, 1, awaited + 1900, PCOMP_EVENT_AWAIT_BEGIN, VARIABLE, index, 0);
    case_event_long(c, 1, awaited + 2010 + WAKING, PCOMP_EVENT_AWAIT_END, VARIABLE, index, 0);
    case_replay(c);

    uint64_t begin = case_time(c, 1, 4 * TIMES), end = case_time(c, 1, 4 * TIMES + 1);
    cr_expect_eq(end - begin, PASSING, "%d ticks", (int)(end - begin));
    free(c);
}

/* --- The same of waits that sleep ----------------------------------------------------------------------------------
 */

enum { SEMAPHORE = 0x4000, LOCK = 0x5000 };

/* One that posts and one that takes, which first sleeps TIMES times, then finds a unit TIMES times. */
static struct replay_case *sleepers(uint64_t *t)
{
    struct replay_case *c = case_new(2, 10);
    *t = 1000;
    for (int i = 0; i < 2 * TIMES; i++, *t += 1000) {
        bool waits = i < TIMES;
        case_event(c, 0, *t + (waits ? 100 : 0), PCOMP_EVENT_SEM_V, SEMAPHORE);
        case_event(c, 1, *t + 50, PCOMP_EVENT_SEM_REQUEST, SEMAPHORE);
        case_event(c, 1, *t + 60, waits ? PCOMP_EVENT_SEM_WAIT : PCOMP_EVENT_SEM_PASSED, SEMAPHORE);
        case_event(c, 1, *t + (waits ? 110 + WAKING : 70 + PASSING), PCOMP_EVENT_SEM_TAKEN, SEMAPHORE);
    }
    return c;
}

Test(replay_semaphore_delay, wait_that_vanishes_is_no_longer_woken)
{
    uint64_t t;
    struct replay_case *c = sleepers(&t);
    for (uint64_t i = 0; i < 30; i++)
        case_event(c, 0, t + 10 * i, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 0, t + 300, PCOMP_EVENT_SEM_V, SEMAPHORE); /* at 0 of them */
    case_event(c, 1, t + 50, PCOMP_EVENT_SEM_REQUEST, SEMAPHORE);
    case_event(c, 1, t + 60, PCOMP_EVENT_SEM_WAIT, SEMAPHORE);
    case_event(c, 1, t + 310 + WAKING, PCOMP_EVENT_SEM_TAKEN, SEMAPHORE);
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 6 * TIMES + 2) - case_time(c, 1, 6 * TIMES + 1), PASSING);
    free(c);
}

Test(replay_semaphore_delay, wait_that_appears_is_woken)
{
    uint64_t t;
    struct replay_case *c = sleepers(&t);
    case_event(c, 0, t + 400, PCOMP_EVENT_SEM_V, SEMAPHORE);
    for (uint64_t i = 0; i < 50; i++)
        case_event(c, 1, t + 10 * i, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 1, t + 500, PCOMP_EVENT_SEM_REQUEST, SEMAPHORE);
    case_event(c, 1, t + 510, PCOMP_EVENT_SEM_PASSED, SEMAPHORE);
    case_event(c, 1, t + 520 + PASSING, PCOMP_EVENT_SEM_TAKEN, SEMAPHORE);
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 6 * TIMES + 52) - case_time(c, 0, 2 * TIMES), WAKING);
    free(c);
}

/* The scatter of the delays of both kinds is in the uncertainty, of those that changed alone. */
Test(replay_lock_delay, changed_delay_makes_the_end_less_sure)
{
    for (int changes = 0; changes < 2; changes++) {
        struct replay_case *c = case_new(2, 10);
        uint64_t t = 1000;
        for (int i = 0; i < 2 * TIMES; i++, t += 1000) {
            bool waits = i < TIMES;
            uint64_t spread = (uint64_t)(i % 4);
            case_event(c, 0, t, PCOMP_EVENT_LOCK_REQUEST, LOCK);
            case_event(c, 0, t + 10, PCOMP_EVENT_LOCK_ACQUIRED, LOCK);
            case_event(c, 0, t + (waits ? 200 : 30), PCOMP_EVENT_LOCK_RELEASE, LOCK);
            case_event(c, 1, t + 100, PCOMP_EVENT_LOCK_REQUEST, LOCK);
            if (waits)
                case_event(c, 1, t + 110, PCOMP_EVENT_LOCK_WAIT, LOCK);
            case_event(c, 1, t + (waits ? 210 + WAKING : 110 + PASSING) + spread, PCOMP_EVENT_LOCK_ACQUIRED, LOCK);
            case_event(c, 1, t + 400, PCOMP_EVENT_LOCK_RELEASE, LOCK);
        }
        case_event(c, 0, t, PCOMP_EVENT_LOCK_REQUEST, LOCK);
        case_event(c, 0, t + 10, PCOMP_EVENT_LOCK_ACQUIRED, LOCK);
        for (uint64_t i = 2; i < 50 && changes; i++) /* without them the lock is free again before it is asked for */
            case_event(c, 0, t + 10 * i, PCOMP_EVENT_UNWIND, 1);
        case_event(c, 0, t + 500, PCOMP_EVENT_LOCK_RELEASE, LOCK);
        case_event(c, 1, t + 100, PCOMP_EVENT_LOCK_REQUEST, LOCK);
        case_event(c, 1, t + 110, PCOMP_EVENT_LOCK_WAIT, LOCK);
        case_event(c, 1, t + 510 + WAKING, PCOMP_EVENT_LOCK_ACQUIRED, LOCK);
        case_replay(c);
        cr_expect_eq(c->violation_count, 0);
        cr_expect(changes ? c->result.critical_path.scatter > 0 : c->result.critical_path.scatter == 0);
        free(c);
    }
}

/* Of the last 64, whatever their order, in equal values too. */
Test(wake_delay, quartiles_are_those_of_sorted_delays)
{
    uint64_t state = 1;
    struct wake_delays delays = {0};
    for (uint32_t n = 1; n <= 4096; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        wake_delay_add(&delays, true, (int64_t)(state >> 33) % (n < 2048 ? 1000000 : 5));
        if (n < 32 || n % 16)
            continue;
        uint32_t count = n < WAKE_DELAYS ? n : WAKE_DELAYS, below_low = 0, below_high = 0, to_low = 0, to_high = 0;
        for (uint32_t i = 0; i < count; i++) {
            below_low += delays.waited.recent[i] < delays.waited.low;
            to_low += delays.waited.recent[i] <= delays.waited.low;
            below_high += delays.waited.recent[i] < delays.waited.high;
            to_high += delays.waited.recent[i] <= delays.waited.high;
        }
        cr_assert(below_low <= count / 4 && count / 4 < to_low, "lower quartile of %u", n);
        cr_assert(below_high <= count - 1 - count / 4 && count - 1 - count / 4 < to_high, "upper quartile of %u", n);
    }
}
