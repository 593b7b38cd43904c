/* A walk by frame_rules meets the callers that backtrace(3) does. */
#include "profiler/code/sites/frame_rules.h"

#include <alloca.h>
#include <criterion/criterion.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdlib.h>

#define FRAMES_MAX 64
#define PLAIN      __attribute__((noinline))

/* In libgcc: what the unwinder itself takes. */
struct bases {
    void *text, *data, *function;
};
const void *_Unwind_Find_FDE(void *pc, struct bases *bases);

static volatile int zero;
static unsigned met;

/* Both walks begin here; what the second step leads to is the caller of this function for both. */
static PLAIN int compare(void)
{
    void *expected[FRAMES_MAX];
    struct frame_registers r;
    struct bases bases;
    int count = backtrace(expected, FRAMES_MAX);
    frame_registers_read(&r);
    uint64_t low = r.value[FRAME_SP];
    const struct frame_stack stack = {low, low + (8u << 20), (const uint8_t *)(uintptr_t)low};
    uint64_t pc = r.value[FRAME_PC];
    int at = 0; /* a sanitizer's backtrace is itself in the list */
    for (bool first = true; at < count; first = false) {
        const void *entry = _Unwind_Find_FDE((void *)(uintptr_t)pc, &bases);
        struct frame_row row;
        cr_assert(entry && frame_rules_find(entry, pc, &row) && frame_rules_apply(&row, &stack, &r), "place %d of %d",
                  at, count);
        while (first && at < count && r.value[FRAME_PC] != (uint64_t)(uintptr_t)expected[at])
            at++;
        cr_assert_lt(at, count);
        cr_assert_eq(r.value[FRAME_PC], (uint64_t)(uintptr_t)expected[at], "place %d of %d", at, count);
        at++;
        if (r.value[FRAME_PC] == 0)
            break;
        pc = r.value[FRAME_PC] - 1;
        met++;
    }
    return zero;
}

static PLAIN int dynamic(int depth);

static PLAIN int aligned(int depth)
{
    _Alignas(64) volatile char room[256];
    room[depth] = 1;
    int below = dynamic(depth - 1);
    return below + room[depth] - 1;
}

static PLAIN int saving(int depth, long a, long b, long c, long d, long e)
{
    long f = a * b + zero, g = c ^ d, h = e - a, i = b + d;
    int below = depth ? aligned(depth - 1) : compare();
    return below + (int)((f + g + h + i) & zero);
}

static PLAIN int dynamic(int depth)
{
    volatile char *room = alloca((size_t)(depth * 24 + 16));
    room[0] = 0;
    if (depth <= 0)
        return compare();
    return saving(depth - 1, depth, depth * 3, depth * 5, depth * 7, depth * 11) + room[0];
}

static PLAIN int by_pointer(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return dynamic(9);
}

Test(frame_rules, callers_are_those_of_backtrace)
{
    cr_assert_eq(dynamic(12), 0);
    cr_assert_geq(met, 12u);
}

Test(frame_rules, frames_of_the_library_between_are_known)
{
    int two[2] = {1, 2};
    qsort(two, 2, sizeof(two[0]), by_pointer);
    cr_assert_geq(met, 11u);
}
