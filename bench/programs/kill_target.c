/* The program that kill_runner kills: kill_target FD MILLISECONDS. Counts its own completed calls in shared memory. */
#include "bench/programs/bench_clock.h"
#include "bench/programs/kill_record.h"

#include <stdio.h>
#include <sys/mman.h>

static struct kill_record *record;

BENCH_PLAIN static inline void completed(enum kill_function function)
{
    record->completed[function]++;
    record->alive_ns = bench_clock_ns(CLOCK_MONOTONIC);
}

BENCH_CALL static void leaf_a(void)
{
    __asm__ volatile("");
}

BENCH_CALL static void leaf_b(void)
{
    __asm__ volatile("" ::"i"(1));
}

BENCH_CALL static void middle(void)
{
    for (int i = 0; i < 3; i++) {
        leaf_a();
        completed(KILL_LEAF_A);
    }
}

BENCH_CALL static void outer(void)
{
    middle();
    completed(KILL_MIDDLE);
    leaf_b();
    completed(KILL_LEAF_B);
}

/* Meets the start-up of the profiler, so that nothing slow lies between the hook of main and its first statement. */
__attribute__((constructor)) static void meet_profiler(void)
{
    __asm__ volatile("");
}

BENCH_PLAIN static struct kill_record *map_record(const char *descriptor)
{
    void *memory = mmap(NULL, sizeof(struct kill_record), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(descriptor), 0);
    if (memory == MAP_FAILED) {
        perror("kill_target");
        exit(2);
    }
    return memory;
}

int main(int argc, char **argv)
{
    int64_t now = bench_clock_ns(CLOCK_MONOTONIC);
    if (argc != 3)
        return 2;
    record = map_record(argv[1]);
    record->alive_ns = now;
    record->started_ns = now;
    for (int64_t end = now + strtoll(argv[2], NULL, 10) * 1000000; record->alive_ns < end;) {
        outer();
        completed(KILL_OUTER);
    }
    record->ended_ns = record->alive_ns;
    return 0;
}
