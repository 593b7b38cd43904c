/* Programs whose bottleneck is known, for pcomp consult: bottleneck KIND MILLISECONDS. Each spends nearly all of its
 * time in the way its KIND says, at the place its functions are named after. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static double end_s;
static volatile uint64_t sink;

static PLAIN double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static PLAIN int more(void)
{
    return now_s() < end_s;
}

static PLAIN void spin_us(double us)
{
    for (double until = now_s() + us * 1e-6; now_s() < until;)
        sink = sink * 31 + 1;
}

static __attribute__((noinline)) void hot_function(void)
{
    spin_us(40);
}

static __attribute__((noinline)) void cold_function(void)
{
    spin_us(2);
}

static void compute(void)
{
    while (more()) {
        hot_function();
        cold_function();
    }
}

/* One third of the time computing, then sleeping. */
static void two_phases(void)
{
    double begin = now_s(), third = (end_s - begin) / 3;
    while (now_s() < begin + third)
        hot_function();
    while (more())
        usleep(2000);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int turn, stop;

static __attribute__((noinline)) void hold_lock(void)
{
    pthread_mutex_lock(&lock);
    usleep(500); /* whoever holds it does not need a processor */
    pthread_mutex_unlock(&lock);
}

static void *lock_worker(void *unused)
{
    while (more())
        hold_lock();
    return unused;
}

static __attribute__((noinline)) void meet(void)
{
    pthread_barrier_wait(&barrier);
}

static __attribute__((noinline)) void uneven_work(int rank)
{
    if (rank == 0)
        spin_us(1000);
}

static void *barrier_worker(void *argument)
{
    int rank = (int)(intptr_t)argument;
    for (;;) {
        uneven_work(rank);
        if (rank == 0)
            stop = !more();
        meet();
        if (stop)
            return NULL;
    }
}

static __attribute__((noinline)) void await_turn(int mine)
{
    pthread_mutex_lock(&lock);
    while (turn != mine && !stop)
        pthread_cond_wait(&condition, &lock);
    spin_us(200); /* the other waits for its turn meanwhile */
    turn = !mine;
    stop |= !more();
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
}

static void *condition_worker(void *argument)
{
    while (!stop)
        await_turn((int)(intptr_t)argument);
    return NULL;
}

static void *poster(void *unused)
{
    while (more()) {
        usleep(1000);
        sem_post(&semaphore);
    }
    stop = 1;
    sem_post(&semaphore);
    return unused;
}

static void *taker(void *unused)
{
    while (!stop)
        sem_wait(&semaphore);
    return unused;
}

static void run_threads(int count, void *(*function)(void *))
{
    pthread_t threads[8];
    for (intptr_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, function, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static __attribute__((noinline)) void read_slowly(int fd)
{
    char byte;
    if (read(fd, &byte, 1) != 1)
        _exit(3);
}

/* Waits for a process that writes a byte now and then. */
static void input(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        _exit(3);
    if (fork() == 0) {
        close(ends[0]);
        signed char byte = 0;
        while (more()) {
            struct timespec t = {0, 2000000};
            nanosleep(&t, NULL);
            if (write(ends[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    while (more())
        read_slowly(ends[0]);
}

static __attribute__((noinline)) void touch_pages(void)
{
    size_t size = 4u << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(3);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1;
    munmap(memory, size);
}

static void fault(void)
{
    while (more())
        touch_pages();
}

static void nap(void)
{
    while (more())
        usleep(3000);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    end_s = now_s() + (argc > 2 ? atof(argv[2]) / 1000 : 1);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    if (!strcmp(kind, "cpu"))
        compute();
    else if (!strcmp(kind, "phases"))
        two_phases();
    else if (!strcmp(kind, "lock"))
        run_threads(4, lock_worker);
    else if (!strcmp(kind, "barrier"))
        run_threads(2, barrier_worker);
    else if (!strcmp(kind, "condition"))
        run_threads(2, condition_worker);
    else if (!strcmp(kind, "semaphore")) {
        pthread_t thread;
        pthread_create(&thread, NULL, poster, NULL);
        taker(NULL);
        pthread_join(thread, NULL);
    } else if (!strcmp(kind, "io"))
        input();
    else if (!strcmp(kind, "fault"))
        fault();
    else if (!strcmp(kind, "sleep"))
        nap();
    else
        return 2;
    puts("done");
    return 0;
}
