/* The program of the examples in the man pages, whatever its name there: a loop whose units any thread may have, then
 * barriers and a lock, in functions of the names that the examples use. The units are few, or a trace counts them. */
#include <pthread.h>
#include <stdint.h>

#define THREADS 2
#define ROUNDS  400
#define LONG    20 /* so many times, with an argument */
#define UNITS   16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int rounds = ROUNDS;
static volatile uint64_t sink;

__attribute__((noinline)) static void edit_distance(int turns)
{
    for (int i = 0; i < turns; i++)
        sink = sink * 31 + (uint64_t)i;
}

__attribute__((noinline)) static void update_cell(int unit)
{
    edit_distance(2000000 + 10000 * unit);
}

__attribute__((noinline)) static void update_table(void)
{
    pthread_mutex_lock(&lock);
    edit_distance(3000);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *number)
{
    for (int unit = (int)(intptr_t)number; unit < UNITS; unit += THREADS)
        update_cell(unit);
    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&barrier);
        update_table();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t other;
    rounds *= argc > 1 ? LONG : 1;
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_create(&other, NULL, worker, (void *)1);
    worker(0);
    pthread_join(other, NULL);
    return 0;
}
