/* What a sample by perf's cpu-clock costs a program that works on KIB of memory: interrupt_costs KIB
 * signal|record|none. Slices of 20 ms with and without samples take turns, and the same loads are in each. Prints the
 * median difference of a slice and the mean of its neighbours, for each sample, in microseconds. `record`: the kernel
 * writes records with 4 KiB of stack that nobody is told of. `none`: samples of system calls alone, of which there are
 * none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS  997331
#define SLICES     201 /* every other one has samples, the first and last have none */
#define SLICE_S    0.02
#define UNIT       1000 /* loads */
#define RING_PAGES 65   /* a header and 2^n */
#define LINE       16   /* words */

static volatile uint32_t *memory;
static uint32_t lines;

static void on_signal(int number)
{
    (void)number;
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Dependent loads from all lines in no order. */
static void work(long units)
{
    static uint32_t at;
    for (long i = 0; i < units * UNIT; i++)
        at = at * 1664525u + 1013904223u + memory[(at >> 8) % lines * LINE];
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static struct perf_event_mmap_page *open_event(const char *way, int *fd)
{
    bool signals = strcmp(way, "signal") == 0, none = strcmp(way, "none") == 0;
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(event),
                                    .config = PERF_COUNT_SW_CPU_CLOCK,
                                    .sample_period = PERIOD_NS,
                                    .sample_type = PERF_SAMPLE_IP,
                                    .disabled = 1,
                                    .exclude_kernel = !none,
                                    .exclude_user = none,
                                    .exclude_hv = 1,
                                    .wakeup_events = 1};
    if (!signals) {
        event.sample_type |= PERF_SAMPLE_STACK_USER;
        event.sample_stack_user = 4096;
        event.wakeup_events = 1u << 30;
    }
    *fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    size_t size = (size_t)(RING_PAGES * sysconf(_SC_PAGESIZE));
    void *ring = *fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (ring == MAP_FAILED)
        return NULL;
    if (signals) {
        struct f_owner_ex owner = {F_OWNER_TID, (int)getpid()};
        struct sigaction action = {.sa_handler = on_signal};
        sigaction(SIGSTKFLT, &action, NULL);
        fcntl(*fd, F_SETFL, O_ASYNC | O_NONBLOCK);
        fcntl(*fd, F_SETSIG, SIGSTKFLT);
        fcntl(*fd, F_SETOWN_EX, &owner);
    }
    return ring;
}

int main(int argc, char **argv)
{
    static double seconds[SLICES], costs[SLICES / 2];
    long kib = argc == 3 ? atol(argv[1]) : 0;
    int fd;
    if (kib <= 0) {
        fputs("usage: interrupt_costs KIB signal|record|none\n", stderr);
        return 2;
    }
    struct perf_event_mmap_page *page = open_event(argv[2], &fd);
    lines = (uint32_t)(kib * 1024 / 4 / LINE);
    memory = calloc((size_t)lines * LINE, sizeof(uint32_t));
    if (!page || !memory) {
        perror("interrupt_costs");
        return 1;
    }
    for (uint32_t i = 0; i < lines; i++)
        memory[i * LINE] = 0; /* pages of its own */
    long units = 0;
    for (double begin = processor_time(); processor_time() - begin < 10 * SLICE_S; units++)
        work(1);
    units /= 10;
    for (int i = 0; i < SLICES; i++) {
        if (i % 2)
            ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        double begin = processor_time();
        work(units);
        seconds[i] = processor_time() - begin;
        if (i % 2)
            ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
        __atomic_store_n(&page->data_tail, __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    }
    for (int i = 1; i < SLICES; i += 2)
        costs[i / 2] = (seconds[i] - (seconds[i - 1] + seconds[i + 1]) / 2) / (seconds[i] / (PERIOD_NS * 1e-9));
    qsort(costs, SLICES / 2, sizeof(costs[0]), by_size);
    printf("%.1f\n", 1e6 * costs[SLICES / 4]);
    return 0;
}
