#include "profiler/calibrate_counted.h"

#include "compensation/calibration.h"
#include "profiler/calibration_kernel.h"
#include "profiler/functions.h"
#include "profiler/sampling.h"
#include "profiler/shadow.h"

#include <string.h>

#define REPETITIONS 96
#define EVALUATIONS 2 /* of the kernel in a batch */
#define SEGMENTS    64
#define ALL         (INT64_C(1) << 40)

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static int64_t evaluate_times(long (*kernel)(const char *, unsigned long), int times)
{
    static const char text[] = KERNEL_TEXT;
    uint64_t begin = sampling_clock();
    for (int i = 0; i < times; i++) {
        long result = kernel(text, sizeof(text) - 1);
        __asm__ volatile("" ::"r"(result));
    }
    return (int64_t)(sampling_clock() - begin);
}

static int64_t evaluate(long (*kernel)(const char *, unsigned long))
{
    return evaluate_times(kernel, EVALUATIONS);
}

static void count_only(struct hot *h)
{
    h->sampling.given = h->budget = h->sampling.gap_left = ALL;
}

static char caller; /* a function below which those of the kernel are filtered */

static int64_t evaluate_filtered(struct hot *h, int64_t budget)
{
    __cyg_profile_func_enter(&caller, NULL);
    h->sampling.given = h->budget = h->sampling.gap_left = budget;
    int64_t ticks = evaluate(hooked_kernel);
    __cyg_profile_func_exit(&caller, NULL);
    return ticks;
}

/* Mean of the segments between the enter and the exit of an empty function, all of them stamped; -1: was disturbed. */
static int64_t stamped(struct hot *h, void (*empty)(uint64_t), uint64_t function, struct pcomp_node *node)
{
    struct pcomp_node_sampled *n = (struct pcomp_node_sampled *)node;
    uint64_t before = n->enter_ticks;
    uint32_t count = n->enters;
    h->sampling.given = h->budget = 0;
    h->sampling.burst_left = 4 * SEGMENTS;
    for (int i = 0; i < SEGMENTS; i++)
        empty(function);
    const volatile struct pcomp_node_sampled *after = n; /* the hooks wrote it */
    uint32_t timed = after->enters - count;
    return timed ? (int64_t)(((after->enter_ticks - before) << PCOMP_FIX_SHIFT) / timed) : -1;
}

/* A counted call costs more among the work of real programs than in the kernel, and not the same in each: the median
 * over the programs and builds of bench/accuracy, and the spread around it, in percent. docs/accuracy.md has them one
 * by one. */
#define CONTEXT_PERCENT        117
#define CONTEXT_SPREAD_PERCENT 14

/* The same for a call whose hooks are off. The spread is that of programs and of calibrations, each of which differs
 * from the next: about a quarter both. */
#define OFF_PERCENT        125
#define OFF_SPREAD_PERCENT 35
/* At least as much of a call of the kernel: processors differ in how much of it they hide there, but not in programs,
 * where a call executes some 14 instructions more, and one of the kernel 9 in all. */
#define OFF_LEAST_PERCENT 75

#define BATCHES(array) ((struct pcomp_batches){array, REPETITIONS})
#define NO_BATCHES     ((struct pcomp_batches){NULL, 0})

void calibrate_counted(struct hot *h, struct pcomp_delta delta[PCOMP_VARIANTS], int64_t *stamp, void (*empty)(uint64_t),
                       uint64_t function, struct pcomp_node *node)
{
    static int64_t hooked[REPETITIONS], bare[REPETITIONS], plain[3][REPETITIONS], segment[REPETITIONS],
        filtered[REPETITIONS];
    h->sampling.spared = -ALL;
    for (int i = 0; i < 8; i++) { /* until the paths are counted */
        functions_calibrating(CALIBRATING_MEASURED);
        evaluate(hooked_kernel);
        empty(function);
        empty((uint64_t)(uintptr_t)&caller);
        functions_calibrating(CALIBRATING_FILTERED);
        evaluate_filtered(h, 0);
    }
    functions_calibrating(CALIBRATING_OFF);
    for (int i = 0; i < REPETITIONS; i++) {
        plain[0][i] = plain[1][i] = plain[2][i] = evaluate(plain_kernel);
        bare[i] = evaluate(bare_kernel);
        count_only(h);
        hooked[i] = evaluate(hooked_kernel);
        filtered[i] = evaluate_filtered(h, ALL);
        segment[i] = stamped(h, empty, function, node);
    }
    const struct pcomp_estimate none = {0, 0, 0};
    struct pcomp_estimate whole = pcomp_estimate_cost(BATCHES(hooked), BATCHES(plain[0]), EVALUATIONS * KERNEL_CALLS);
    struct pcomp_estimate call = pcomp_estimate_cost(BATCHES(bare), BATCHES(plain[1]), EVALUATIONS * KERNEL_CALLS);
    struct pcomp_estimate skip = pcomp_estimate_cost(BATCHES(filtered), BATCHES(plain[2]), EVALUATIONS * KERNEL_CALLS);
    *stamp = pcomp_estimate_cost(BATCHES(segment), NO_BATCHES, 1).value >> PCOMP_FIX_SHIFT;
    int64_t hooks = whole.value - call.value, in_context = whole.value * CONTEXT_PERCENT / 100;
    call.value = in_context - hooks;
    call.spread = in_context * CONTEXT_SPREAD_PERCENT / 100;
    whole.value = hooks;
    whole.spread = 0;
    skip.value = skip.value * CONTEXT_PERCENT / 100;
    skip.spread = skip.value * CONTEXT_SPREAD_PERCENT / 100;
    delta[PCOMP_VARIANT_SKIP] = pcomp_delta_from_estimates(none, skip, none, EVALUATIONS * KERNEL_CALLS);
    delta[PCOMP_VARIANT_BARE] = pcomp_delta_from_estimates(none, call, none, EVALUATIONS * KERNEL_CALLS);
    delta[PCOMP_VARIANT_REPEAT] = delta[PCOMP_VARIANT_LOOKUP] =
        pcomp_delta_from_estimates(none, whole, none, EVALUATIONS * KERNEL_CALLS);
    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        delta[v].own = v == PCOMP_VARIANT_SKIP ? 0 : delta[v].descendant / 2;
        delta[v].repetitions = REPETITIONS;
    }
}

int64_t calibrate_counted_again(struct hot *scratch, int64_t *plain)
{
    struct hot *own = hot_thread;
    int64_t hooked = 0;
    for (int warm = 0; warm < 2; warm++) { /* the first one fetches code and memory that the program had driven out */
        *plain = evaluate_times(plain_kernel, 1);
        count_only(scratch);
        hot_thread = scratch;
        hooked = evaluate_times(hooked_kernel, 1);
        hot_thread = own;
    }
    return (hooked - *plain) * (1 << PCOMP_FIX_SHIFT) / KERNEL_CALLS * CONTEXT_PERCENT / 100;
}

/* In medians: the least of many batches is that of a processor that has nothing else to do, and the program has no
 * such. */
void calibrate_off_call(int64_t *cost, int64_t *spread)
{
    static int64_t off[REPETITIONS], plain[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
        plain[i] = evaluate(plain_kernel);
        off[i] = evaluate(off_kernel);
    }
    int64_t all = pcomp_batches_median(BATCHES(plain), 0, NULL);
    int64_t more = (pcomp_batches_median(BATCHES(off), 0, NULL) - all) * OFF_PERCENT;
    more = more > all * OFF_LEAST_PERCENT ? more : all * OFF_LEAST_PERCENT;
    *cost = more * (1 << PCOMP_FIX_SHIFT) / (EVALUATIONS * KERNEL_CALLS) / 100;
    *spread = *cost * OFF_SPREAD_PERCENT / 100;
}
