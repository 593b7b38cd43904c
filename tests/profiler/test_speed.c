/* The work whose time tells how steady the machine is: what is timed ran just before, so that no instruction of it
 * comes from memory where the program uses the caches for itself. Stepped through instruction by instruction. */
#include "profiler/base/config.h"
#include "profiler/base/store.h"
#include "profiler/control/speed.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define STEPS_MAX 200000

struct config config = {.clock = PCOMP_CLOCK_TSC};
static struct pcomp_header header;
struct pcomp_header *store_header = &header;

static uint64_t place[STEPS_MAX];
static int steps, last_read, read_before; /* the last two that read the clock */

static void note_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (steps == STEPS_MAX)
        return;
    if (memcmp((const void *)(uintptr_t)pc, "\x0f\x31", 2) == 0) {
        read_before = last_read;
        last_read = steps;
    }
    place[steps++] = pc;
}

static bool ran_before(int step)
{
    for (int i = read_before; i-- > 0;)
        if (place[i] == place[step])
            return true;
    return false;
}

Test(speed, times_only_instructions_that_have_just_run)
{
    struct sigaction act = {.sa_sigaction = note_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &act, NULL);
    speed_start();
    __asm__ volatile("pushfq\norq $0x100, (%%rsp)\npopfq" ::: "memory", "cc");
    speed_time();
    __asm__ volatile("pushfq\nandq $~0x100, (%%rsp)\npopfq" ::: "memory", "cc");
    cr_assert_lt(steps, STEPS_MAX);
    cr_assert_gt(read_before, 1000, "the work did not run before it was timed");
    cr_assert_gt(last_read - read_before, 1000);
    int cold = 0;
    for (int i = read_before; i <= last_read; i++)
        cold += !ran_before(i);
    cr_expect_eq(cold, 0, "%d of %d timed instructions ran for the first time", cold, last_read - read_before);
}
