/* Looks at the time off the processor, and when they rest. */
#include "profiler/control/off_cpu.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/run.h"
#include "profiler/base/sanitizer.h"
#include "profiler/control/sampler.h"
#include "profiler/stack/path_extras.h"
#include "profiler/stack/shadow.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#define NEVER UINT64_MAX

/* --- what looks stand on ---------------------------------------------------------------------------------------------
 */

struct config config = {.counts = true, .clock = PCOMP_CLOCK_MONOTONIC};
double run_tick_hz = 1e9;
uint64_t shadow_stride = sizeof(struct timed_frame);
__thread struct thread_state *current_thread __attribute__((tls_model("initial-exec")));
__thread bool sanitizer_is_late __attribute__((tls_model("initial-exec")));

static struct pcomp_node node, caller;
static struct counted {
    struct pcomp_node_extra extra;
    struct pcomp_node_off_cpu off_cpu;
} counted, of_caller;

struct pcomp_node_extra *path_extra(struct thread_state *h, const struct pcomp_node *of)
{
    (void)h;
    return of == &caller ? &of_caller.extra : &counted.extra;
}

static uint64_t off(const struct counted *c)
{
    return c->off_cpu.waiting + c->off_cpu.ready;
}

void own_stack_run(void (*work)(void *argument), void *argument)
{
    work(argument);
}

uint64_t own_stack_entered(void)
{
    return 0;
}

void own_stack_enter_anew(uint64_t now)
{
    (void)now;
}

static uint64_t samples_take_ns;    /* 0: there are none to read */
static useconds_t samples_sleep_us; /* off the processor meanwhile */

bool sampler_is_behind(void)
{
    return samples_take_ns > 0;
}

uint64_t sampler_catch_up(struct thread_state *h, struct pcomp_frame *top)
{
    (void)h;
    (void)top;
    uint64_t begin = processor_time_ns(0), took;
    usleep(samples_sleep_us);
    while ((took = processor_time_ns(0) - begin) < samples_take_ns)
        ;
    return took;
}

void shadow_adopt(struct thread_state *h)
{
    (void)h;
}

/* --- looks -----------------------------------------------------------------------------------------------------------
 */

static struct thread_state state;
static struct pcomp_thread thread;

static void begin(void)
{
    state = (struct thread_state){.thread = &thread, .extra_size = sizeof(counted), .recording = RECORDING_FAST};
    off_cpu_restart(&state);
    state.off_cpu.rests_until = 0;
}

static uint64_t wait_and_look(void)
{
    usleep(50000);
    return off_cpu_note(&state, &node, clock_read(config.clock));
}

Test(off_cpu, what_a_thread_slept_before_a_late_event_is_waiting, .init = begin)
{
    cr_expect_gt(wait_and_look(), 0);
    cr_expect_gt(counted.off_cpu.waiting, 0);
}

Test(off_cpu, nothing_is_looked_at_while_looks_rest, .init = begin)
{
    state.off_cpu.rests_until = NEVER;
    cr_expect_eq(wait_and_look(), 0);
    cr_expect_eq(counted.off_cpu.waiting, 0);
}

/* In a slow hook, as long as a wait. */
static void sleep_in_hook_while_looks_rest(void)
{
    uint64_t hook = clock_read(config.clock);
    state.off_cpu.rests_until = NEVER;
    usleep(50000);
    off_cpu_leave_out(&state, hook);
    state.off_cpu.rests_until = 0;
}

Test(off_cpu, what_a_hook_slept_while_looks_rest_is_nobodys_waiting, .init = begin)
{
    sleep_in_hook_while_looks_rest();
    cr_expect_gt(off_cpu_note(&state, &node, clock_read(config.clock)), 0);
    cr_expect_lt(counted.off_cpu.waiting, 25000000);
}

Test(off_cpu, what_a_thread_slept_behind_such_a_hook_is_waiting, .init = begin)
{
    sleep_in_hook_while_looks_rest();
    wait_and_look();
    cr_expect_gt(counted.off_cpu.waiting, 25000000);
    state.off_cpu.rests_until = 0;
    wait_and_look();
    cr_expect_gt(counted.off_cpu.waiting, 75000000);
}

/* What the hook did before the look is in the look. */
Test(off_cpu, what_a_thread_slept_behind_a_look_in_a_hook_is_waiting, .init = begin)
{
    uint64_t hook = clock_read(config.clock);
    wait_and_look();
    state.off_cpu.rests_until = NEVER;
    off_cpu_leave_out(&state, hook);
    state.off_cpu.rests_until = 0;
    counted.off_cpu.waiting = counted.off_cpu.ready = 0;
    wait_and_look();
    cr_expect_gt(off(&counted), 25000000);
}

Test(off_cpu, what_the_reading_of_samples_computes_is_no_time_off_the_processor, .init = begin)
{
    samples_take_ns = 40000000;
    wait_and_look();
    samples_take_ns = 0;
    cr_expect_gt(off(&counted), 25000000); /* others may run meanwhile */
}

/* At the exit of a function, whose time ends before. */
Test(off_cpu, while_samples_are_read_at_an_exit_time_off_the_processor_is_the_callers, .init = begin)
{
    samples_take_ns = 1;
    samples_sleep_us = 50000;
    uint64_t now = clock_read(config.clock);
    off_cpu_catch_up(&state, NULL, &caller);
    cr_expect_gt(off(&of_caller), 25000000);
    samples_take_ns = 0;
    off_cpu_note(&state, &node, now);
    cr_expect_lt(off(&counted), 25000000, "and nobody else's");
    wait_and_look();
    cr_expect_gt(off(&counted), 25000000, "what is behind is known");
}

Test(off_cpu, an_event_says_how_long_reading_samples_was_off_the_processor, .init = begin)
{
    samples_take_ns = 1;
    samples_sleep_us = 50000;
    usleep(1000); /* until an event is late */
    cr_expect_gt(off_cpu_note(&state, &node, clock_read(config.clock)), 25000000);
    cr_expect_lt(off(&counted), 25000000);
}

/* A look behind three that took so many ticks. Again where it lost its processor: then another look follows it. */
static void look_behind(const uint64_t before[3])
{
    uint64_t *took = state.off_cpu.took;
    for (int tries = 0; !tries || (took[1] != before[0] && tries < 50); tries++) {
        state.off_cpu.rests_until = 0;
        memcpy(took, before, 3 * sizeof(*took));
        wait_and_look();
    }
}

Test(off_cpu, looks_rest_five_times_as_long_as_each_of_the_last_four_took, .init = begin)
{
    const uint64_t *took = state.off_cpu.took;
    look_behind((uint64_t[]){NEVER / 8, NEVER / 8, NEVER / 8});
    cr_expect_gt(took[0], 0);
    cr_expect_geq(state.off_cpu.rests_until, state.off_cpu.tick + 5 * took[0]);
    cr_expect(took[1] == NEVER / 8 && took[2] == NEVER / 8, "the newest is the first");

    for (int brief = 0; brief < 3; brief++) {
        uint64_t before[3];
        for (int i = 0; i < 3; i++)
            before[i] = i == brief ? 1 : NEVER / 8;
        look_behind(before);
        cr_expect_leq(state.off_cpu.rests_until, clock_read(config.clock) + 5, "all but one lasted long");
    }
}
