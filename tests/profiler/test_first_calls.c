/* Calls of sites that are not resolved: the slow way, which blocks signals, is for what is found out for the first
 * time. */
#include "profiler/hooks/first_calls.h"

#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/base/thread_state.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/site_levels.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/levels.h"
#include "profiler/control/off_cpu.h"
#include "profiler/hooks/call_counts.h"
#include "profiler/hooks/callstack.h"
#include "profiler/trace/trace.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define FUNCTION 0x1000u
#define ID       7u

struct config config;
static unsigned slow, calls_counted, resolves, calls_until_due;
static bool is_known, is_timed;

/* --- what first calls stand on ---------------------------------------------------------------------------------------
 */

static struct thread_state thread;
__thread struct thread_state *current_thread __attribute__((tls_model("initial-exec")));

void own_stack_run(void (*work)(void *argument), void *argument)
{
    slow++;
    work(argument);
}

uint64_t own_stack_entered(void)
{
    return 1;
}

bool function_is_known(uint64_t function)
{
    return function == FUNCTION && is_known;
}

uint32_t function_known_id(uint64_t function)
{
    return function == FUNCTION && is_known ? ID : PCOMP_FUNCTION_ROOT;
}

struct function_info function_find(uint64_t function)
{
    is_known = true;
    return (struct function_info){.id = function == FUNCTION ? ID : 0};
}

bool function_is_timed(struct function_info info)
{
    return info.id == ID && is_timed;
}

bool counts_add(uint32_t id)
{
    calls_counted += id == ID;
    return true;
}

void count_one(uint32_t id)
{
    calls_counted += id == ID;
}

void count_unmeasured(uint64_t function, const char *region, bool counted)
{
    (void)function;
    (void)region;
    (void)counted;
}

bool site_is_reached(const struct site *s)
{
    return s->flags & (SITE_PENDING | SITE_RESOLVED);
}

bool site_should_be_reached(struct site *s)
{
    s->calls_before += s->calls_before < 4;
    return s->calls_before == 4;
}

bool sites_reach(struct site *site, uint32_t function)
{
    cr_expect_eq(function, ID);
    if (!site_is_reached(site)) {
        site->flags |= SITE_PENDING;
        return true;
    }
    return calls_until_due-- > 1;
}

uint64_t sites_function(const struct site *site)
{
    (void)site;
    return FUNCTION;
}

void levels_resolve(void)
{
    resolves++;
}

static struct thread_state *attach(uint64_t sp)
{
    (void)sp;
    abort(); /* the thread is measured */
}

struct thread_state *(*const run_attach)(uint64_t sp) = attach;
__thread bool thread_is_over __attribute__((tls_model("initial-exec"), visibility("hidden")));
__thread bool sanitizer_is_late __attribute__((tls_model("initial-exec")));

void callstack_enter_counted(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h)
{
    (void)function;
    (void)site;
    (void)sp;
    (void)unused;
    (void)h;
    abort(); /* it records a trace: the probe enters */
}

void off_cpu_charge_since(struct thread_state *h, const struct pcomp_node *node, uint64_t begin)
{
    (void)h;
    (void)node;
    (void)begin;
}

void trace_mute(void) {}

void trace_unmute(void) {}

/* --- tests -----------------------------------------------------------------------------------------------------------
 */

static void begin(void)
{
    current_thread = &thread;
    thread.self = &thread;
    thread.recording = RECORDING_TRACE;
    config.in_place = true;
    calls_until_due = 1000;
}

static bool enter(struct site *s)
{
    return first_enter(FUNCTION, 0, s, 0);
}

static bool leave(struct site *s)
{
    return first_exit(FUNCTION, 0, s, 0);
}

/* As the probe: whether the function's probe is to run; `apart` counts calls for which vector registers are saved. */
static unsigned apart;
static bool enter_sled(struct site *s)
{
    uint64_t function = first_sled_again(s);
    if (function == FIRST_SLED_UNKNOWN) {
        apart++;
        function = first_sled(s, 0, 0);
    }
    cr_assert(!function || function == FUNCTION);
    return function != 0;
}

TestSuite(first_calls, .init = begin);

Test(first_calls, of_a_site_are_slow_once_where_it_waits_to_be_resolved)
{
    for (int timed = 0; timed < 2; timed++) {
        struct site entry = {.kind = SITE_HOOK_ENTER}, exit = {.kind = SITE_HOOK_EXIT};
        is_timed = timed;
        is_known = true;
        slow = calls_counted = 0;
        for (unsigned i = 1; i <= 100; i++) {
            cr_expect_eq(enter(&entry), is_timed, "call %u, timed %d", i, timed);
            cr_expect_eq(leave(&exit), is_timed, "call %u, timed %d", i, timed);
        }
        cr_expect_eq(slow, 2, "%u slow ways, timed %d: one for each site", slow, timed);
        cr_expect_eq(calls_counted, 100, "%u calls", calls_counted);
        cr_expect(site_is_reached(&entry) && site_is_reached(&exit), "timed %d", timed);
    }
}

Test(first_calls, find_a_new_function_the_slow_way)
{
    struct site entry = {.kind = SITE_HOOK_ENTER};
    enter(&entry);
    cr_expect_eq(slow, 1);
    cr_expect_eq(calls_counted, 1);
    enter(&entry);
    cr_expect_eq(slow, 1);
    cr_expect_eq(calls_counted, 2);
}

Test(first_calls, resolve_sites_that_are_due_at_exits_and_enters)
{
    struct site entry = {.kind = SITE_HOOK_ENTER, .flags = SITE_PENDING};
    struct site exit = {.kind = SITE_HOOK_EXIT, .flags = SITE_PENDING};
    is_known = true;
    calls_until_due = 3;
    leave(&exit);
    enter(&entry);
    cr_expect_eq(resolves, 0);
    leave(&exit);
    cr_expect_eq(resolves, 1);
    calls_until_due = 1;
    enter(&entry);
    cr_expect_eq(resolves, 2);
}

Test(first_calls, of_a_sled_save_vector_registers_once_to_find_its_function_and_once_to_reach_it)
{
    for (int timed = 0; timed < 2; timed++) {
        struct site sled = {.kind = SITE_SLED_ENTER};
        is_timed = timed;
        is_known = false;
        apart = calls_counted = 0;
        for (unsigned i = 1; i <= 100; i++) {
            cr_expect_eq(enter_sled(&sled), is_timed, "call %u, timed %d", i, timed);
            cr_expect_eq(calls_counted, i, "call %u, timed %d: counted %u times", i, timed, calls_counted);
        }
        cr_expect_eq(apart, 2, "%u times, timed %d", apart, timed);
        cr_expect(site_is_reached(&sled), "timed %d", timed);
    }
}

Test(first_calls, of_a_sled_that_is_due_resolve_it_and_count_once)
{
    struct site sled = {.kind = SITE_SLED_ENTER, .flags = SITE_PENDING};
    is_known = true;
    calls_until_due = 3;
    for (unsigned i = 1; i <= 2; i++) {
        enter_sled(&sled);
        cr_expect_eq(apart, 0, "call %u", i);
    }
    enter_sled(&sled);
    cr_expect_eq(apart, 1);
    cr_expect_eq(calls_counted, 3);
    cr_expect_eq(resolves, 1);
}

Test(first_calls, of_a_sled_of_a_function_that_may_be_filtered_ask_each_time)
{
    struct site sled = {.kind = SITE_SLED_ENTER, .flags = SITE_PENDING};
    is_known = true;
    config.pattern_count = 1;
    enter_sled(&sled);
    enter_sled(&sled);
    cr_expect_eq(apart, 2);
    cr_expect_eq(calls_counted, 2);
}
