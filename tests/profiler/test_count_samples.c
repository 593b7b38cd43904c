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

bool sampled_stack_has_library(void)
{
    return true;
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

static void init(void)
{
    count_samples_start();
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
