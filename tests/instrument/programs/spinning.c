/* Waits for another thread by sleeping again and again. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int done;

static void rest(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void *work(void *argument)
{
    rest(40);
    done = 1;
    return argument;
}

static void await(void)
{
    while (!done)
        rest(1);
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    await();
    pthread_join(other, NULL);
    return 0;
}
