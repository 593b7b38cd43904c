/* Functions that a trace stops recording one after the other, in threads that wait for each other: looks at counters
 * meet the ends of segments and the measuring of alpha. */
#include <pthread.h>
#include <stdint.h>

#define THREADS   4
#define ROUNDS    400
#define FUNCTIONS 16

static pthread_barrier_t barrier;

#define LEAF(number)                                                                                                   \
    __attribute__((noinline)) static uint64_t leaf_##number(uint64_t x)                                                \
    {                                                                                                                  \
        __asm__ volatile("" : "+r"(x));                                                                                \
        return x + number;                                                                                             \
    }
#define LEAVES(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15)
LEAVES(LEAF)

#define ADDRESS(number) leaf_##number,
static uint64_t (*const leaves[FUNCTIONS])(uint64_t) = {LEAVES(ADDRESS)};

static void *work(void *argument)
{
    volatile uint64_t sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned f = 0; f < FUNCTIONS; f++)
            for (unsigned i = 0; i < 4 + f * round / 64; i++)
                sum += leaves[f](i);
        if (round % 8 == 0)
            pthread_barrier_wait(&barrier);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
