/* Two threads meet at a barrier after every round. One makes many calls of a tiny function, the other a few that take
 * longer. Who waits for whom? */
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 60

static pthread_barrier_t meeting;
static double sum;
static unsigned long words;

static unsigned next_word(unsigned word)
{
    return word * 1664525u + 1013904223u;
}

static void scan(void)
{
    unsigned word = 1;
    for (int i = 0; i < 30000; i++) {
        word = next_word(word);
        words += word >> 31;
    }
}

static void integrate(void)
{
    double x = 0;
    for (int i = 0; i < 300000; i++)
        x = x * 0.999 + 1e-3;
    sum += x;
}

static void *scanner(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        scan();
        pthread_barrier_wait(&meeting);
    }
    return unused;
}

static void *integrator(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        integrate();
        pthread_barrier_wait(&meeting);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_create(&threads[0], NULL, scanner, NULL);
    pthread_create(&threads[1], NULL, integrator, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%lu words, sum %g\n", words, sum);
    return 0;
}
