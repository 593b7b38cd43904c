/* What a test program knows of itself, printed as "expect ..." lines for tests/instrument/check_profile.c:
 *
 *   COUNT();            at the start of an instrumented function counts its calls
 *   EXPECT(fmt, ...)    prints one expectation
 *   CHECK(condition)    the program's own result; a failure is printed and makes the exit status 99
 *   expect_counts()     prints the calls that COUNT saw in this process; expect_forget() restarts them after a fork
 *
 * COUNTED is defined where all calls are counted in place (--counts exact): a function that is called often has no
 * paths and no times. Also remembers, before any hook runs, what the library must not change: descriptors and signal
 * dispositions. */
#ifndef EXPECT_H
#define EXPECT_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__ /* it takes the first attribute for hook calls alone */
#define PLAIN __attribute__((no_instrument_function, xray_never_instrument, unused))
#else
#define PLAIN __attribute__((no_instrument_function, unused))
#endif

struct expect_counter {
    const char *name;
    uint64_t calls;
    struct expect_counter *next;
};

static struct expect_counter *expect_all;
static char expect_handlers[65][sizeof(struct sigaction)];
static uint64_t expect_descriptors;
static int expect_failed;

static PLAIN void expect_enlist(struct expect_counter *c)
{
    c->next = __atomic_load_n(&expect_all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&expect_all, &c->next, c, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

#define COUNT() COUNT_AS(__func__)
#define COUNT_AS(text)                                                                                                 \
    do {                                                                                                               \
        static struct expect_counter counter_ = {text, 0, NULL};                                                       \
        if (__atomic_fetch_add(&counter_.calls, 1, __ATOMIC_RELAXED) == 0)                                             \
            expect_enlist(&counter_);                                                                                  \
    } while (0)

#define EXPECT(...)                                                                                                    \
    do {                                                                                                               \
        char line_[600];                                                                                               \
        int length_ = snprintf(line_, sizeof(line_), "expect " __VA_ARGS__);                                           \
        line_[length_++] = '\n';                                                                                       \
        if (write(1, line_, (size_t)length_) != length_)                                                               \
            _exit(98);                                                                                                 \
    } while (0)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s is false (errno %d)\n", __FILE__, __LINE__, #condition, errno);                 \
            expect_failed = 1;                                                                                         \
            _exit(99);                                                                                                 \
        }                                                                                                              \
    } while (0)

static PLAIN void expect_counts(void)
{
    for (struct expect_counter *c = __atomic_load_n(&expect_all, __ATOMIC_ACQUIRE); c; c = c->next)
        if (c->calls)
            EXPECT("calls@%d %s %lu", (int)getpid(), c->name, (unsigned long)c->calls);
}

static PLAIN void expect_forget(void)
{
    for (struct expect_counter *c = expect_all; c; c = c->next)
        c->calls = 0;
    expect_all = NULL;
}

static PLAIN double expect_clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static PLAIN double expect_now_ms(void)
{
    return expect_clock_ms(CLOCK_MONOTONIC);
}

/* Computes for `ms`, or longer when the machine is busy; returns how long. */
static PLAIN double expect_spin(double ms)
{
    double begin = expect_now_ms(), now = begin;
    while (now - begin < ms)
        now = expect_now_ms();
    return now - begin;
}

/* The same of the thread's processor time: on a busy machine others may have most of that on the wall. */
static PLAIN void expect_spin_processor(double ms)
{
    for (double end = expect_clock_ms(CLOCK_THREAD_CPUTIME_ID) + ms; expect_clock_ms(CLOCK_THREAD_CPUTIME_ID) < end;)
        ;
}

/* Bit i: descriptor i is open. */
static PLAIN uint64_t expect_open_descriptors(void)
{
    uint64_t bits = 0;
    for (int fd = 0; fd < 64; fd++)
        if (lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF)
            bits |= (uint64_t)1 << fd;
    return bits;
}

/* The loader keeps registers on the stack when it looks up what is called next: leave there nothing of a function of
 * the library that a test called. */
static PLAIN void expect_clean_registers(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

static __attribute__((no_instrument_function, constructor(101))) void expect_remember(void)
{
    int saved = errno;
    for (int s = 1; s < 65; s++)
        sigaction(s, NULL, (struct sigaction *)expect_handlers[s]);
    expect_clean_registers();
    expect_descriptors = expect_open_descriptors();
    errno = saved;
}

/* The library left alone what is not its own. Call where the program has put its own changes back. */
static PLAIN void expect_untouched(void)
{
    for (int s = 1; s < 65; s++) {
        struct sigaction now;
        memset(&now, 0, sizeof(now));
        sigaction(s, NULL, &now);
#ifdef SAMPLER_SEEN /* without interposed functions the sampler's signal has a handler that a program can see */
        if (s == SIGRTMAX - 1)
            continue;
#endif
        CHECK(now.sa_handler == ((struct sigaction *)expect_handlers[s])->sa_handler);
        CHECK(((now.sa_flags ^ ((struct sigaction *)expect_handlers[s])->sa_flags) & ~0x04000000) ==
              0); /* SA_RESTORER */
    }
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int s = 1; s < 65; s++)
        CHECK(sigismember(&mask, s) != 1);
#ifndef LIBRARIES_LOADED /* by --counters and --native-frames: they keep descriptors of their own */
    CHECK(expect_open_descriptors() == expect_descriptors);
#endif
}

#endif
