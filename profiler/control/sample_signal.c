#include "profiler/control/sample_signal.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/control/perf_beat.h"
#include "profiler/format/profile_format.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define DELIVERY_TRIES 9
#define BEATS          12u
#define BEAT_PERIOD_NS 50021u
#define BEATS_MAX      0.0015 /* seconds for all */
#define BEAT_LOST      200e-6
#define BEAT_MIN       500e-9 /* seconds between two readings of the clock: something came in between */

static bool is_free(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

bool sample_signal_take(int number, sample_signal_handler handler)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (const int *s = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, 0}; *s; s++)
        sigdelset(&action.sa_mask, *s);
    return is_free(number) && sigaction(number, &action, NULL) == 0;
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

/* By the pauses of the thread, which reads the clock meanwhile: the lower quartile, since others disturb half of them
 * on a busy machine. */
static int64_t measure_beat(int number)
{
    struct perf_beat beat;
    uint64_t pauses[BEATS], last = clock_read_in_order(config.clock);
    double busy = 0;
    unsigned found = 0;
    if (!perf_beat_open(&beat, number, BEAT_PERIOD_NS))
        return 0;
    for (unsigned lost = 0; found < BEATS && busy < BEATS_MAX && lost < BEATS;) {
        uint64_t now = clock_read_in_order(config.clock), pause = now - last;
        double seconds = (double)pause / run_tick_hz;
        last = now;
        if (seconds > BEAT_LOST) { /* its processor was another's */
            lost++;
            continue;
        }
        busy += seconds;
        if (seconds > BEAT_MIN) {
            unsigned i = found++;
            for (; i && pauses[i - 1] > pause; i--)
                pauses[i] = pauses[i - 1];
            pauses[i] = pause;
        }
    }
    perf_beat_close(&beat);
    return found >= BEATS / 2 ? (int64_t)(pauses[found / 4] << PCOMP_FIX_SHIFT) : 0;
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
    return with_signal(number, measure_beat);
}

bool sample_signal_of_timers_is_in_time(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 9));
}

bool sample_signal_of_beats_is_late(void)
{
    struct utsname name;
    return uname(&name) != 0 || strstr(name.version, "PREEMPT_RT");
}
