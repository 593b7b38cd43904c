#include "profiler/control/sample_signal.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/format/profile_format.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#define DELIVERY_TRIES 9

/* Nobody's, or ours already: the child of a fork inherits the handler. */
static bool is_free(int number, sample_signal_handler handler)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 &&
           (action.sa_flags & SA_SIGINFO ? action.sa_sigaction == handler : action.sa_handler == SIG_DFL);
}

static bool handle(int number, sample_signal_handler handler)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (const int *s = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, 0}; *s; s++)
        sigdelset(&action.sa_mask, *s);
    return sigaction(number, &action, NULL) == 0;
}

int sample_signal_take_real_time(sample_signal_handler handler)
{
    int number = SIGRTMAX - 1;
    while (number > SIGRTMIN && !(is_free(number, handler) && handle(number, handler)))
        number--;
    return number > SIGRTMIN ? number : 0;
}

void sample_signal_give_back(int number)
{
    struct sigaction unused_action = {.sa_handler = SIG_DFL};
    sigaction(number, &unused_action, NULL);
}

/* The thread sends itself some. */
static int64_t measure_delivery(int number)
{
    uint64_t min = UINT64_MAX;
    long pid = raw_call(SYS_getpid, 0, 0, 0, 0), tid = raw_call(SYS_gettid, 0, 0, 0, 0);
    for (int i = 0; i < DELIVERY_TRIES; i++) {
        uint64_t begin = clock_read_in_order(config.clock);
        raw_call(SYS_tgkill, pid, tid, number, 0);
        uint64_t took = clock_read_in_order(config.clock) - begin;
        min = took < min ? took : min;
    }
    return (int64_t)(min << PCOMP_FIX_SHIFT);
}

/* With the signal open. */
int64_t sample_signal_delivery(int number)
{
    uint64_t mask = UINT64_C(1) << (number - 1), saved;
    raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)(uintptr_t)&mask, (long)(uintptr_t)&saved, sizeof(mask));
    int64_t cost = measure_delivery(number);
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)(uintptr_t)&saved, 0, sizeof(saved));
    return cost;
}

bool sample_signal_of_timers_is_in_time(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 9));
}

double sample_signal_tick(void)
{
    struct timespec t = {0, 0};
    return clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

int32_t sample_signal_timer(int number, int32_t tid, void *value)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number, .sigev_value.sival_ptr = value};
    struct itimerspec every = {{0, SAMPLE_TIMER_NS}, {0, SAMPLE_TIMER_NS}};
    int timer;
    event._sigev_un._tid = tid;
    if (raw_call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)(uintptr_t)&event, (long)(uintptr_t)&timer, 0) < 0)
        return SAMPLE_TIMER_NONE;
    if (raw_call(SYS_timer_settime, timer, 0, (long)(uintptr_t)&every, 0) >= 0)
        return timer;
    raw_call(SYS_timer_delete, timer, 0, 0, 0);
    return SAMPLE_TIMER_NONE;
}

/* --- entry -----------------------------------------------------------------------------------------------------------
 */

__thread char *sampler_stack __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The program's stack may have room for the kernel's frame alone. Where the thread is on the handler's stack already
 * (ThreadSanitizer calls handlers of kept signals inside of others), it goes on there. */
#if defined(__x86_64__)
__asm__(".text\n.globl sampler_handler\n.hidden sampler_handler\n.type sampler_handler, @function\n.p2align 4\n"
        "sampler_handler:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
        "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
        "mov sampler_stack@gottpoff(%rip), %rax\n"
        "mov %fs:(%rax), %rax\n"
        "test %rax, %rax\n"
        "jz 1f\n"
        "mov %rax, %rcx\nsub %rsp, %rcx\nshr $16, %rcx\n"
        "jz 1f\n"
        "mov %rax, %rsp\n"
        "1: and $-16, %rsp\n"
        "call sampler_signalled\n"
        "mov %rbp, %rsp\n.cfi_def_cfa_register %rsp\n"
        "pop %rbp\n.cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n.size sampler_handler, . - sampler_handler\n");
#else
void sampler_handler(int number, siginfo_t *info, void *context)
{
    sampler_signalled(number, info, context);
}
#endif
