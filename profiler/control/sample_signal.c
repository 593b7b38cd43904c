#include "profiler/control/sample_signal.h"

#include "compensation/estimate/beat_cost.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/control/perf_beat.h"
#include "profiler/format/profile_format.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#define DELIVERY_TRIES 9
#define PAGE           4096
#define LINE           64u     /* bytes */
#define CACHE_BYTES    524288u /* what a program works on between two samples */
#define STEP           32u     /* loads from one reading of the clock to the next */
#define STEPS          8u
#define STEP_TRIES     64u

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

bool sample_signal_take(int number, sample_signal_handler handler)
{
    return is_free(number, handler) && handle(number, handler);
}

void sample_signal_give_back(int number)
{
    struct sigaction unused_action = {.sa_handler = SIG_DFL};
    sigaction(number, &unused_action, NULL);
}

int sample_signal_take_real_time(sample_signal_handler handler)
{
    int number = SIGRTMAX - 1;
    while (number > SIGRTMIN && !sample_signal_take(number, handler))
        number--;
    return number > SIGRTMIN ? number : 0;
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

/* --- a beat ----------------------------------------------------------------------------------------------------------
 */

/* What the thread does meanwhile: dependent loads from all lines of CACHE_BYTES in no order, as a program's. */
struct load_loop {
    const volatile uint32_t *memory;
    uint32_t lines, at;
};

static void load_on(struct load_loop *w, unsigned loads)
{
    uint32_t at = w->at;
    while (loads--)
        at = at * 1664525u + 1013904223u + w->memory[(at >> 8) % w->lines * (LINE / sizeof(*w->memory))];
    w->at = at;
}

/* Seconds of STEP loads that nothing comes in between. */
static double undisturbed_step(struct load_loop *w)
{
    uint64_t min = UINT64_MAX;
    load_on(w, w->lines);
    for (unsigned i = 0; i < STEP_TRIES; i++) {
        uint64_t begin = clock_read_in_order(config.clock);
        for (unsigned k = 0; k < STEPS; k++) {
            load_on(w, STEP);
            clock_read_in_order(config.clock);
        }
        uint64_t took = clock_read_in_order(config.clock) - begin;
        min = took < min ? took : min;
    }
    return (double)min / STEPS / run_tick_hz;
}

static volatile unsigned beats;

static void count_beat(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    beats++;
}

/* Seconds. */
static double cost_of_beats(struct load_loop *w, double step, double period)
{
    struct pcomp_beat_pauses pauses = {.period = period};
    unsigned before, counted = beats;
    uint64_t last, now = clock_read_in_order(config.clock);
    do {
        last = now;
        before = counted;
        load_on(w, STEP);
        now = clock_read_in_order(config.clock);
        counted = beats;
    } while (pcomp_beat_pauses_add(&pauses, (double)(now - last) / run_tick_hz, step, counted != before));
    return pcomp_beat_cost(&pauses);
}

/* 0: the system allows none. */
static double cost_at_period(int number, struct load_loop *w, double step, double period)
{
    struct perf_beat beat;
    if (!perf_beat_open(&beat, number, (uint64_t)(period * 1e9)))
        return 0;
    double cost = cost_of_beats(w, step, period);
    if (cost <= 0 || cost >= PCOMP_BEAT_MAX) { /* a machine may be so for a moment */
        double again = cost_of_beats(w, step, period);
        cost = again > 0 && (again < cost || cost <= 0) ? again : cost;
    }
    perf_beat_close(&beat);
    return cost;
}

static int64_t measure_beat(int number)
{
    static const uint32_t one_line[LINE / sizeof(uint32_t)];
    long memory =
        raw_call6(SYS_mmap, 0, CACHE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    bool has_memory = memory >= 0 || memory < -PAGE;
    struct load_loop w = {has_memory ? (const uint32_t *)(uintptr_t)memory : one_line,
                          has_memory ? CACHE_BYTES / LINE : 1, 0};
    double step = undisturbed_step(&w), cost = 0, found, period = PCOMP_BEAT_PERIOD;
    for (; period > 0 && (found = cost_at_period(number, &w, step, period)) > 0;
         period = pcomp_beat_next_period(period, cost))
        cost = found;
    if (has_memory)
        raw_call(SYS_munmap, memory, CACHE_BYTES, 0, 0);
    return (int64_t)(cost * run_tick_hz * (1 << PCOMP_FIX_SHIFT));
}

/* By the thread that gets them, with the signal open. */
static int64_t with_signal(int number, int64_t (*measure)(int number))
{
    uint64_t mask = UINT64_C(1) << (number - 1), saved;
    raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)(uintptr_t)&mask, (long)(uintptr_t)&saved, sizeof(mask));
    int64_t cost = measure(number);
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)(uintptr_t)&saved, 0, sizeof(saved));
    return cost;
}

int64_t sample_signal_delivery(int number)
{
    return with_signal(number, measure_delivery);
}

int64_t sample_signal_beat(int number)
{
    handle(number, count_beat);
    int64_t cost = with_signal(number, measure_beat);
    handle(number, sampler_handler);
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

bool sample_signal_of_beats_is_late(void)
{
    struct utsname name;
    return uname(&name) != 0 || strstr(name.version, "PREEMPT_RT");
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
