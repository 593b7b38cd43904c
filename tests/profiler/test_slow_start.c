/* When slow work of a hook begins, where a handler that measures comes at any instruction until signals are blocked:
 * not before the end of the handler, which has charged what it took. */
#include "profiler/base/own_stack.h"
#include "profiler/hooks/call_counts.h"
#include "profiler/record/frames.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

struct config config = {.clock = PCOMP_CLOCK_TSC};
uint64_t shadow_stride = sizeof(struct timed_frame);
__thread bool sanitizer_is_late __attribute__((tls_model("initial-exec")));

static struct thread_state thread = {.self = &thread};
__thread struct thread_state *current_thread __attribute__((tls_model("initial-exec"), visibility("hidden"))) = &thread;

void trace_mute(void) {}

void trace_unmute(void) {}

void shadow_adopt(struct thread_state *h)
{
    (void)h;
    abort(); /* there are no frames */
}

static int steps, handled_at;
static bool records;                     /* the handler, in a trace */
static volatile uint64_t handled, began; /* ticks */

static void handler(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    if (sigismember(&((ucontext_t *)context)->uc_sigmask, SIGUSR1) || ++steps != handled_at || began)
        return;
    thread.overhead += !records;
    thread.trace_cursor += records;
    handled = clock_ticks();
}

static void step_through(void (*work)(void))
{
    steps = 0;
    handled = began = 0;
    __asm__ volatile("pushfq\norq $0x100, (%%rsp)\npopfq" ::: "memory", "cc");
    work();
    __asm__ volatile("pushfq\nandq $~0x100, (%%rsp)\npopfq" ::: "memory", "cc");
}

static void expect_start_behind_handler(void (*work)(void))
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    int handlers = 0;
    sigaction(SIGTRAP, &act, NULL);
    work(); /* what it does but once is done */
    for (int turn = 0; turn < 2; turn++) {
        records = turn;
        handled_at = 1;
        do {
            step_through(work);
            handlers += handled != 0;
            cr_expect_geq(began, handled, "a handler behind instruction %d, records %d", handled_at, records);
        } while (steps >= handled_at++);
    }
    cr_expect_gt(handlers, 20);
}

static void note_entered(void *unused)
{
    (void)unused;
    began = own_stack_entered();
}

static void use_own_stack(void)
{
    own_stack_run(note_entered, NULL);
}

static void use_mask(void)
{
    struct masked m;
    mask(&m);
    began = m.begin;
    unmask(&m);
}

static void use_slow(void)
{
    struct slow s;
    slow_begin(&s, &thread);
    began = s.begin;
    slow_end(&s);
}

Test(slow_start, on_a_stack_of_the_threads_own)
{
    use_own_stack();
    if (!began)
        cr_skip_test("threads have no stack of their own under a sanitizer");
    expect_start_behind_handler(use_own_stack);
}

Test(slow_start, of_a_first_call_on_the_programs_stack)
{
    expect_start_behind_handler(use_mask);
}

Test(slow_start, of_a_slow_hook_on_the_programs_stack)
{
    expect_start_behind_handler(use_slow);
}
