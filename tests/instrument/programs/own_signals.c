/* A program that uses every signal, and waits for signals in every way: the signal of the sampler is not among them,
 * and what the program set is what it finds. Functions with hooks compute between, in two threads, so that samples are
 * taken all the time. BLOCKED_BEFORE: all signals are blocked before the first hook. */
#include "expect.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ROUNDS     20
#define COMPUTE_MS 5

static volatile sig_atomic_t handled[65], expected, wrong;
static bool ended;

void compute(double ms)
{
    COUNT();
    expect_spin(ms);
}

static PLAIN void *compute_beside(void *unused)
{
    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
        compute(1);
    return unused;
}

static PLAIN void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    handled[number]++;
    if (number != expected || info->si_code == SI_TIMER || info->si_pid != getpid())
        wrong = number;
}

/* --- waiting for signals, all of them blocked
 * -------------------------------------------------------------------------- */

/* The sampler takes the highest one that is free, but for the last. */
static PLAIN bool may_be_samplers(int number)
{
    return number == SIGRTMAX - 1;
}

static void wait_for_signals(void)
{
    COUNT();
    sigset_t all, pending;
    siginfo_t info;
    sigfillset(&all);
    int fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK), number = SIGRTMIN, found;
    for (int round = 0; round < ROUNDS; round++, number = number == SIGRTMAX ? SIGRTMIN : number + 1) {
        struct timespec moment = {0, 2000000};
        struct signalfd_siginfo read_info;
        compute(COMPUTE_MS);
        sigpending(&pending);
        for (int s = 1; s < 65; s++)
            CHECK(sigismember(&pending, s) != 1);
        CHECK(read(fd, &read_info, sizeof(read_info)) == -1 && errno == EAGAIN);
        compute(COMPUTE_MS);
        CHECK(sigtimedwait(&all, &info, &moment) == -1 && errno == EAGAIN);
        if (may_be_samplers(number))
            continue; /* never blocked: it is not pending, and its handler takes no notice of what others send */
        compute(COMPUTE_MS);
        CHECK(pthread_kill(pthread_self(), number) == 0);
        CHECK(sigwait(&all, &found) == 0 && found == number);
        compute(COMPUTE_MS);
        CHECK(pthread_kill(pthread_self(), number) == 0);
        CHECK(sigtimedwait(&all, &info, &moment) == number && info.si_pid == getpid());
        compute(COMPUTE_MS);
        CHECK(pthread_kill(pthread_self(), number) == 0);
        CHECK(read(fd, &read_info, sizeof(read_info)) == sizeof(read_info) && (int)read_info.ssi_signo == number);
    }
    close(fd);
}

/* What the program put there is what it finds, but for the signal that it must not block. */
static PLAIN void check_mask(bool blocked)
{
    sigset_t mask;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    for (int s = 1; s < 65; s++)
        if (s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN) && !may_be_samplers(s))
            CHECK(sigismember(&mask, s) == blocked);
    CHECK(blocked || sigismember(&mask, SIGRTMAX - 1) == 0);
}

static PLAIN void *wait_in_thread(void *unused)
{
    wait_for_signals();
    return unused;
}

static void block_all(void)
{
    COUNT();
    sigset_t all, none;
    pthread_t t;
    sigfillset(&all);
    sigemptyset(&none);
    for (int how = 0; how < 3; how++) {
        if (how == 0)
            CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
        if (how == 1)
            CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
        if (how == 2)
            CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
        check_mask(true);
        wait_for_signals();
        CHECK(pthread_create(&t, NULL, wait_in_thread, NULL) == 0);
        pthread_join(t, NULL);
        CHECK(how % 2 ? sigprocmask(SIG_UNBLOCK, &all, NULL) == 0 : pthread_sigmask(SIG_SETMASK, &none, NULL) == 0);
        check_mask(false);
    }
}

/* The library blocks its signal by a system call, as here. ThreadSanitizer then runs handlers that it kept, and sets
 * and restores masks around them: the signal stays blocked. */
static void stay_blocked(void)
{
    COUNT();
    uint64_t all = ~(uint64_t)0, before, now;
    sigset_t full, kept;
    sigfillset(&full);
    CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all)) == 0);
    CHECK(pthread_sigmask(SIG_SETMASK, &full, &kept) == 0);
    CHECK(pthread_sigmask(SIG_SETMASK, &kept, NULL) == 0);
    CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, &now, sizeof(now)) == 0);
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        CHECK(now >> (s - 1) & 1);
    check_mask(false);
    compute(COMPUTE_MS);
}

/* --- taking signals
 * ---------------------------------------------------------------------------------------------------- */

/* Programs put all signals back, though they never changed them. */
static void reset_all(void)
{
    COUNT();
    struct sigaction action = {.sa_handler = SIG_DFL}, before;
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
        CHECK(signal(s, SIG_DFL) == SIG_DFL);
        CHECK(sigaction(s, &action, &before) == 0 && before.sa_handler == SIG_DFL);
    }
    compute(COMPUTE_MS);
}

/* Mappings of perf events in this process: they interrupt it as long as they are there. */
static PLAIN int perf_events(void)
{
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof(line), maps))
        count += strstr(line, "[perf_event]") != NULL;
    fclose(maps);
    return count;
}

/* The last thing here: there are no samples from then on. */
static void take_all(void)
{
    COUNT();
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, before, now;
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
        CHECK(sigaction(s, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
        CHECK(sigaction(s, &action, &before) == 0 && before.sa_handler == SIG_DFL && !(before.sa_flags & SA_SIGINFO));
        CHECK(sigaction(s, NULL, &now) == 0 && now.sa_sigaction == on_signal);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
            expected = s;
            CHECK(raise(s) == 0);
            CHECK(handled[s] == round + 1 && !wrong);
            compute(1);
        }
    CHECK(perf_events() == 0);
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        CHECK(sigaction(s, &before, NULL) == 0);
    CHECK(!wrong);
}

static PLAIN void hold_all_from_the_start(void)
{
#ifdef BLOCKED_BEFORE
    sigset_t all;
    pthread_t t;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    wait_for_signals();
    CHECK(pthread_create(&t, NULL, wait_in_thread, NULL) == 0);
    pthread_join(t, NULL);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &all, NULL) == 0);
#endif
}

PLAIN int main(void)
{
    pthread_t beside;
    hold_all_from_the_start();
    CHECK(pthread_create(&beside, NULL, compute_beside, NULL) == 0);
    block_all();
    stay_blocked();
    reset_all();
    expect_untouched();
    compute(COMPUTE_MS);
    take_all();
    __atomic_store_n(&ended, true, __ATOMIC_RELEASE);
    pthread_join(beside, NULL);
    expect_counts();
    EXPECT("least samples 100");
    EXPECT("most unsampled_processes 1");
    expect_untouched();
    return 0;
}
