/* A replay whose memory ends at any of its allocations says so, and releases what it had. Linked with a calloc that
 * fails when it is told to. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static int64_t allocations_left = -1; /* negative: no end */

void *__wrap_calloc(size_t count, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    return __real_calloc(count, size);
}

/* Something of every rule that keeps anything. */
static struct replay_case *of_all_kinds(void)
{
    struct replay_case *c = case_new(2, 1);
    c->options.barrier = REPLAY_BARRIER_BETA;
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 1);
    case_event(c, 1, 10, PCOMP_EVENT_START, 1);
    for (uint32_t i = 0; i < 2; i++) {
        case_event_long(c, i, 20, PCOMP_EVENT_BARRIER_ENTER, 0x100, 2, 0);
        case_event(c, i, 30, PCOMP_EVENT_BARRIER_EXIT, 0x100);
        case_event(c, i, 40, PCOMP_EVENT_LOCK_REQUEST, 0x200 + i * 16);
        case_event(c, i, 50, PCOMP_EVENT_LOCK_ACQUIRED, 0x200 + i * 16);
    }
    case_event_long(c, 0, 60, PCOMP_EVENT_COND_WAIT, 0x300, 0x200, 0);
    case_event(c, 1, 70, PCOMP_EVENT_COND_SIGNAL, 0x300);
    case_event_long(c, 0, 80, PCOMP_EVENT_COND_WOKEN, 0x300, 0x200, 0);
    case_event(c, 0, 90, PCOMP_EVENT_LOCK_RELEASE, 0x200);
    for (uint64_t i = 0; i < 40; i++) {
        case_event(c, 0, 100 + i * 10, PCOMP_EVENT_SEM_V, 0x400);
        case_event(c, 0, 101 + i * 10, PCOMP_EVENT_SEM_V, 0x401 + i);
        case_event_long(c, 0, 102 + i * 10, PCOMP_EVENT_ADVANCE, 0x500, i, 0);
    }
    return c;
}

Test(replay_exhaustion, at_any_allocation_is_reported)
{
    struct replay_case *c = of_all_kinds();
    int64_t max = 0;

    for (;; max++) {
        allocations_left = max;
        case_replay(c);
        allocations_left = -1;
        if (c->end == REPLAY_DONE)
            break;
        cr_assert_eq(c->end, REPLAY_NO_MEMORY, "allocation %lld ends it with %d: %s", (long long)max, c->end,
                     c->result.error ? c->result.error : "");
        cr_assert_lt(max, 10000);
    }
    cr_expect_gt(max, 60, "only %lld allocations", (long long)max);
    free(c);
}
