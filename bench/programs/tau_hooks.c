/* TAU's compensation, as its TauCompensate.cpp and Profiler::Stop do it, on a flat profile of our own: a baseline for
 * the method, not for TAU's speed. Preloaded into a program built with -finstrument-functions alone; single-threaded
 * programs.
 *
 *   null   mean of ONE batch of 1000 timers, started and stopped at start-up: what a timer measures of itself
 *   full   (time of that batch - null) / 1000: what a timer costs those around it
 *   stop:  inclusive = measured - null - full x timers stopped below, and 0 where that is negative
 *
 * At exit appends "PROGRAM raw-ns compensated-ns calls" of the outermost function to $BENCH_TAU. */
#define _GNU_SOURCE
#include "bench/programs/bench_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

enum { FRAMES_MAX = 1 << 16, SLOT_BITS = 16, BATCH = 1000 };

struct timer { /* of a function, in an open hash table */
    void *function;
    uint64_t calls;
    double inclusive; /* compensated, ticks */
};
struct frame {
    struct timer *timer;
    uint64_t begin, below; /* below: timers stopped while this one ran */
};

static struct timer timers[1 << SLOT_BITS];
static struct frame frames[FRAMES_MAX];
static size_t depth, too_deep;
static double null_ticks, full_ticks, main_raw, main_compensated;
static uint64_t main_calls, tick_begin;
static int64_t time_begin;

static struct timer *timer_find(void *function)
{
    uint64_t slot = ((uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SLOT_BITS);
    while (timers[slot].function && timers[slot].function != function)
        slot = (slot + 1) % (1 << SLOT_BITS);
    timers[slot].function = function;
    return &timers[slot];
}

static double timer_stop(struct frame *frame)
{
    double measured = (double)(bench_ticks() - frame->begin);
    double total = measured - null_ticks - (double)frame->below * full_ticks;
    frame->timer->calls++;
    frame->timer->inclusive += total < 0 ? 0 : total;
    if (depth == 0)
        main_raw += measured, main_compensated += total < 0 ? 0 : total, main_calls += frame->below + 1;
    else
        frames[depth - 1].below += frame->below + 1;
    return measured;
}

static void timer_start(void *function)
{
    frames[depth] = (struct frame){.timer = timer_find(function)};
    frames[depth++].begin = bench_ticks();
}

static void calibrate(void)
{
    double sum = 0;
    timer_start(&null_ticks);
    for (int i = 0; i < BATCH; i++) {
        timer_start(&full_ticks);
        sum += timer_stop(&frames[--depth]);
    }
    double batch = timer_stop(&frames[--depth]);
    null_ticks = sum / BATCH;
    full_ticks = (batch - null_ticks) / BATCH;
    main_raw = main_compensated = 0;
    main_calls = 0;
}

__attribute__((constructor)) static void set_up(void)
{
    time_begin = bench_clock_ns(CLOCK_MONOTONIC);
    tick_begin = bench_ticks();
    calibrate();
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (depth < FRAMES_MAX)
        timer_start(function);
    else
        too_deep++;
}

__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
    if (too_deep)
        too_deep--;
    else if (depth)
        timer_stop(&frames[--depth]);
}

__attribute__((destructor)) static void write_total(void)
{
    const char *path = getenv("BENCH_TAU");
    while (depth) /* left by exit() */
        timer_stop(&frames[--depth]);
    if (!path || !main_calls)
        return;
    double elapsed = (double)(bench_clock_ns(CLOCK_MONOTONIC) - time_begin);
    double tick = elapsed / (double)(bench_ticks() - tick_begin); /* ns */
    FILE *file = fopen(path, "a");
    if (!file || fprintf(file, "%s %.0f %.0f %" PRIu64 "\n", program_invocation_short_name, main_raw * tick,
                         main_compensated * tick, main_calls) < 0)
        perror("tau_hooks: BENCH_TAU");
    if (file)
        fclose(file);
}
