/* Threads that call, recurse, throw and jump while the sites of their functions go on and off in windows: what they
 * compute is right. */
#include "expect.h"

#include <pthread.h>
#include <setjmp.h>

#define NAMED extern "C" __attribute__((noinline)) /* found by name in the profile */

static bool stop;

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

/* The same by one thread: what is right. */
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

NAMED void *worker(void *argument)
{
    struct task *t = (struct task *)argument;
    uint64_t x = t->seed;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        x = round_of(x);
        t->n++;
    }
    t->result = x;
    return nullptr;
}

int main(void)
{
    static struct task tasks[4];
    for (unsigned i = 0; i < 4; i++) {
        tasks[i].seed = i * 77 + 1;
        CHECK(pthread_create(&tasks[i].thread, nullptr, worker, &tasks[i]) == 0);
    }
    sleep(1);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(tasks[i].thread, nullptr);
    for (unsigned i = 0; i < 4; i++)
        CHECK(tasks[i].result == expected(tasks[i].seed, tasks[i].n));
    EXPECT("least windows 2");
    EXPECT("open main 0");
    EXPECT("torn");
    EXPECT("most abandoned 100000000"); /* before their functions were counted: by exceptions and jumps */
    EXPECT("most uncertain 100000000");
    EXPECT("most unmatched 100000000");
    return 0;
}
