/* Threads that call, recurse, throw and jump while all hooks go off and on a thousand times a second: what they compute
 * is right, and once the hooks stay on, calls are attributed to where they are. Arguments: threads, seconds. */
#include "expect.h"
#include "tests/profiler/site_control.h"

#include <pthread.h>
#include <setjmp.h>

#define NAMED extern "C" __attribute__((noinline)) /* found by name in the profile */

static bool stop;
static uint64_t rounds;

NAMED uint64_t mix(uint64_t x)
{
    return x * 6364136223846793005u + 1442695040888963407u;
}

static inline uint64_t inlined(uint64_t x)
{
    return mix(x) ^ 1;
}

NAMED uint64_t recurse(unsigned depth, uint64_t x)
{
    return depth ? recurse(depth - 1, inlined(x)) + 1 : x;
}

NAMED uint64_t mutual(unsigned depth, uint64_t x);

NAMED uint64_t other(unsigned depth, uint64_t x)
{
    return depth ? mutual(depth - 1, mix(x)) : x;
}

NAMED uint64_t mutual(unsigned depth, uint64_t x)
{
    return depth ? other(depth - 1, x + 3) : x;
}

NAMED uint64_t thrower(unsigned depth, uint64_t x)
{
    if (depth == 0)
        throw x;
    return thrower(depth - 1, mix(x)) + 1;
}

NAMED uint64_t catcher(unsigned depth, uint64_t x)
{
    try {
        return thrower(depth, x);
    } catch (uint64_t caught) {
        return inlined(caught);
    }
}

NAMED void jumper(jmp_buf &out, unsigned depth, volatile uint64_t *x)
{
    *x = mix(*x);
    if (depth == 0)
        longjmp(out, 1);
    jumper(out, depth - 1, x);
    *x = 0; /* never reached; keeps the call from being a jump */
}

NAMED uint64_t lander(unsigned depth, uint64_t x)
{
    jmp_buf out;
    volatile uint64_t value = x;
    if (setjmp(out) == 0)
        jumper(out, depth, &value);
    return mix(value);
}

NAMED uint64_t round_of(uint64_t x)
{
    x = recurse(x % 30, x);
    x = mutual(x % 17, x);
    x = catcher(x % 5, x);
    return lander(x % 9, x);
}

NAMED void last(void)
{
    __asm__ volatile("");
}

NAMED void at_last(int n)
{
    for (int i = 0; i < n; i++)
        last();
}

/* The same with hooks that nobody switches: what is right. */
static PLAIN uint64_t expected(uint64_t seed, uint64_t n)
{
    uint64_t x = seed;
    for (uint64_t i = 0; i < n; i++)
        x = round_of(x);
    return x;
}

struct task {
    uint64_t seed, n, result;
    pthread_t thread;
};

static pthread_barrier_t settled;

NAMED void *worker(void *argument)
{
    struct task *t = (struct task *)argument;
    uint64_t x = t->seed;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        x = round_of(x);
        t->n++;
    }
    t->result = x;
    pthread_barrier_wait(&settled);
    pthread_barrier_wait(&settled); /* the hooks are on by now */
    at_last(10);
    return nullptr;
}

static PLAIN void switch_for(double seconds)
{
    double begin = expect_now_ms();
    while (expect_now_ms() - begin < seconds * 1000) {
        struct timespec pause = {0, 100000 + (long)(rounds * 7919 % 800000)}; /* 0.5 ms */
        control_turn(rounds++ & 1);
        nanosleep(&pause, nullptr);
    }
    control_turn(true);
}

int main(int, char **arguments)
{
    static struct task tasks[64];
    unsigned count = (unsigned)strtoul(arguments[1], nullptr, 10);
    struct control_found found = control_find((const void *)main);
    const void *const functions[] = {(const void *)mix, (const void *)round_of, (const void *)worker,
                                     (const void *)last};
    for (const void *function : functions)
        found = control_find(function);
    CHECK(found.enters >= 12 && !found.refused);
    pthread_barrier_init(&settled, nullptr, count + 1);
    for (unsigned i = 0; i < count; i++) {
        tasks[i].seed = i * 77 + 1;
        CHECK(pthread_create(&tasks[i].thread, nullptr, worker, &tasks[i]) == 0);
    }
    switch_for(strtod(arguments[2], nullptr));
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_barrier_wait(&settled);
    control_turn(true);
    pthread_barrier_wait(&settled);
    for (unsigned i = 0; i < count; i++)
        pthread_join(tasks[i].thread, nullptr);
    at_last(5);
    control_turn(false);
    for (unsigned i = 0; i < count; i++)
        CHECK(tasks[i].result == expected(tasks[i].seed, tasks[i].n));
    control_turn(true);
    at_last(5);
    fprintf(stdout, "%lu switches\n", (unsigned long)rounds);
    CHECK(rounds >= 20);
    EXPECT("path worker>at_last>last %u", 10 * count);
    EXPECT("path main>at_last>last 10");
    EXPECT("path worker>at_last %u", count);
    EXPECT("open main 0");
    EXPECT("torn");                     /* hooks under way when all others stop */
    EXPECT("most abandoned 100000000"); /* before the first switch: by exceptions and jumps */
    EXPECT("most uncertain 100000000");
    return 0;
}
