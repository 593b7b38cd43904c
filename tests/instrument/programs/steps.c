/* steps [FILE]: calls functions in an order that check_trace knows (step_order.h), for ever, and keeps in FILE how many
 * have returned: after a kill, the trace must have them all. Without FILE: threads with random call trees, each of
 * which keeps the sequence of its enters and exits itself. */
#include "expect.h"
#include "step_order.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef THREADS
#define THREADS 8
#endif
#ifndef EVENTS
#define EVENTS 20000
#endif

struct log {
    uint64_t hash, count, order;
};
static __thread struct log sequence;

#define ENTER()                                                                                                        \
    do {                                                                                                               \
        sequence.hash = step_hash(sequence.hash, 1, __func__);                                                         \
        sequence.count++;                                                                                              \
    } while (0)
#define LEAVE()                                                                                                        \
    do {                                                                                                               \
        sequence.hash = step_hash(sequence.hash, 0, __func__);                                                         \
        sequence.count++;                                                                                              \
    } while (0)

static void call(unsigned depth);

#define STEP(n)                                                                                                        \
    __attribute__((noinline)) void step_##n(unsigned depth)                                                            \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        call(depth);                                                                                                   \
        LEAVE();                                                                                                       \
    }
STEP(0)
STEP(1)
STEP(2)
STEP(3)
STEP(4)
STEP(5)
STEP(6)
STEP(7)

static void (*const steps[STEP_KINDS])(unsigned) = {step_0, step_1, step_2, step_3, step_4, step_5, step_6, step_7};

/* A random number of calls below each. */
static PLAIN void call(unsigned depth)
{
    for (unsigned i = depth ? step_next(&sequence.order) / 2 : 0; i; i--)
        steps[step_next(&sequence.order)](depth - 1);
}

void *thread(void *p)
{
    ENTER();
    sequence.order = STEP_SEED + (uint64_t)(uintptr_t)p;
    while (sequence.count < EVENTS)
        steps[step_next(&sequence.order)](6);
    LEAVE();
    EXPECT("sequence %d %lx %lu", (int)syscall(SYS_gettid), sequence.hash, sequence.count);
    return NULL;
}

static PLAIN void step_for_ever(const char *path)
{
    uint64_t order = STEP_SEED;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    volatile uint64_t *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    for (;;) {
        steps[step_next(&order)](0);
        ++*done;
    }
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    COUNT();
    if (argc > 1)
        step_for_ever(argv[1]);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, thread, (void *)(i + 1)) == 0);
    for (long i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    EXPECT("threads %d", THREADS + 1);
    EXPECT("kinds 16 %d", CREATES);
    EXPECT("kinds 17 %d", CREATES);
    EXPECT("kinds 18 %d", CREATES);
    EXPECT("closed 1");
    expect_counts();
    expect_untouched();
    return 0;
}
