/* Samples of a trace: which of them are counting, and which recording. */
#include "profiler/control/count_samples.h"

#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/control/levels.h"
#include "profiler/control/sampled_stack.h"
#include "profiler/control/speed.h"
#include "profiler/control/windows.h"

#include <criterion/criterion.h>

enum { COUNTS = 1, WAY = 2, PROGRAM = 3 };

struct config config = {.clock = PCOMP_CLOCK_TSC};
static struct pcomp_header header = {.sample_period_ns = 1000000};
struct pcomp_header *store_header = &header;
double run_tick_hz = 1e9;

static const uint8_t library[] = {0x90, 0x90, 0x0f, 0x05, 0xc3, 0x90}; /* nop; nop; syscall; ret; nop */
static struct pcomp_thread thread = {.index = 1};
static const struct thread_state h = {.thread = &thread};

enum site_leads site_leads(uint64_t pc, bool off)
{
    (void)off;
    return pc == COUNTS ? SITE_COUNTS : pc == WAY ? SITE_LEADS_TO_PROBE : SITE_LEADS_NOWHERE;
}

static bool has_library;

bool sampled_stack_has_library(void)
{
    return has_library;
}

bool sampled_stack_in_library(uint64_t pc)
{
    return pc - (uint64_t)(uintptr_t)library < sizeof library;
}

bool windows_leave_out(void)
{
    return false;
}

void speed_time(void) {}

bool levels_look(uint64_t now, bool at_sample, bool at_once, bool may_fall)
{
    (void)now;
    return at_sample && at_once && may_fall;
}

static uint64_t in_library(unsigned offset)
{
    return (uint64_t)(uintptr_t)library + offset;
}

static bool is_way(uint64_t pc)
{
    return pc == WAY;
}

static void init(void)
{
    count_samples_records_nothing = NULL;
    count_samples_start();
    has_library = true;
    config.clock = PCOMP_CLOCK_TSC;
    header.samples = header.probe_samples = header.probe_periods = 0;
}

TestSuite(count_samples, .init = init);

Test(count_samples, hooks_and_the_way_to_them_record)
{
    const uint64_t pcs[] = {WAY, in_library(2), in_library(5), PROGRAM, COUNTS};
    for (size_t i = 0; i < sizeof pcs / sizeof *pcs; i++)
        count_samples_add(&h, pcs[i], 2);
    struct count_samples known = count_samples_known();
    cr_expect_eq(known.recording, 3);
    cr_expect_eq(known.hits, 1);
    cr_expect_float_eq(known.seconds, 2e-3, 1e-12);
    cr_expect_eq(header.probe_periods, 2);
}

/* There signals are let in that came in slow work. */
Test(count_samples, behind_a_system_call_of_the_library_nothing_is_recorded)
{
    count_samples_add(&h, in_library(4), 1);
    cr_expect_eq(count_samples_known().recording, 0);
    count_samples_add(&h, in_library(3), 1);
    cr_expect_eq(count_samples_known().recording, 1);
}

/* 100 ms in hooks, of 1,000,000 events: 100 ns each. */
Test(count_samples, samples_in_hooks_are_the_price_of_an_event)
{
    for (unsigned i = 0; i < 1000; i++)
        count_samples_add(&h, i % 10 ? PROGRAM : WAY, 1);
    cr_expect_float_eq(count_samples_event(40e-9, 1e6).more, 60e-9, 1e-9);
}

Test(count_samples, nothing_tells_of_events_where_the_library_or_its_clock_is_not_known)
{
    count_samples_add(&h, WAY, 1);
    cr_expect_gt(count_samples_event(40e-9, 10000).error, 0);
    config.clock = PCOMP_CLOCK_MONOTONIC;
    cr_expect_eq(count_samples_event(40e-9, 10000).error, 0);
    config.clock = PCOMP_CLOCK_TSC;
    has_library = false;
    cr_expect_eq(count_samples_event(40e-9, 10000).error, 0);
}

Test(count_samples, code_that_records_nothing_takes_a_share_of_the_time_and_is_no_part_of_events)
{
    count_samples_records_nothing = is_way;
    for (unsigned i = 0; i < 10; i++)
        count_samples_add(&h, i < 3 ? WAY : i < 4 ? in_library(2) : PROGRAM, 4);
    struct count_samples known = count_samples_known();
    cr_expect_eq(known.recording, 1);
    cr_expect_float_eq(known.share - (double)header.sample_ticks / run_tick_hz / 40e-3, 0.3, 1e-9);
}
