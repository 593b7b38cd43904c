/* What a sample by perf's cpu-clock takes of a thread that reads the clock meanwhile: interrupt_pauses PERIOD-NS
 * SIGNAL(0|1). Prints the quartiles of its pauses, in microseconds. With 0 the kernel writes records that nobody is
 * told of. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAUSES_MAX  2000
#define PAUSE_MIN   1e-6 /* s between two readings of the clock: something came in between, ... */
#define PAUSE_MAX   2e-4 /* ... and this is another process */
#define SECONDS_MAX 3.0
#define RING_PAGES  65 /* a header and 2^n */

static void on_signal(int number)
{
    (void)number;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static double pauses[PAUSES_MAX];
    bool signals = argc == 3 && atoi(argv[2]) == 1;
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(event),
                                    .config = PERF_COUNT_SW_CPU_CLOCK,
                                    .sample_period = argc == 3 ? strtoull(argv[1], NULL, 10) : 0,
                                    .sample_type = PERF_SAMPLE_IP,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1,
                                    .wakeup_events = 1};
    if (!event.sample_period) {
        fputs("usage: interrupt_pauses PERIOD-NS 0|1\n", stderr);
        return 2;
    }
    if (!signals) { /* what a walk would need: the stack */
        event.sample_type |= PERF_SAMPLE_STACK_USER;
        event.sample_stack_user = 4096;
        event.wakeup_events = 1u << 30;
    }
    int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    size_t ring_size = (size_t)(RING_PAGES * sysconf(_SC_PAGESIZE));
    void *ring = fd < 0 ? MAP_FAILED : mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED) {
        perror("interrupt_pauses");
        return 1;
    }
    struct perf_event_mmap_page *page = ring;
    if (signals) {
        struct f_owner_ex owner = {F_OWNER_TID, (int)getpid()};
        struct sigaction action = {.sa_handler = on_signal};
        sigaction(SIGSTKFLT, &action, NULL);
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
        fcntl(fd, F_SETSIG, SIGSTKFLT);
        fcntl(fd, F_SETOWN_EX, &owner);
    }
    int found = 0;
    double start = now(), last = start;
    while (found < PAUSES_MAX && last - start < SECONDS_MAX) {
        double at = now(), pause = at - last;
        last = at;
        if (pause < PAUSE_MIN || pause > PAUSE_MAX)
            continue;
        pauses[found++] = pause;
        __atomic_store_n(&page->data_tail, __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    }
    qsort(pauses, (size_t)found, sizeof(pauses[0]), by_size);
    if (!found)
        return 1;
    printf("%.1f %.1f %.1f\n", 1e6 * pauses[found / 4], 1e6 * pauses[found / 2], 1e6 * pauses[found * 3 / 4]);
    return 0;
}
