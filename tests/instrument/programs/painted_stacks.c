/* How much of the program's stack hooks need: an alternate stack is painted, a handler calls instrumented functions on
 * it, and what is no longer paint was used. The same without a hook is subtracted: the handler and the kernel's frame.
 * Run it without the sampler, whose signal needs another such frame. */
#include "expect.h"

#include <pthread.h>

#define ROOM      (256 << 10)
#define STACK_MAX 512
#define OWN       64 /* frames of the functions themselves */
#define PAINT     0x5a

static unsigned char stack[ROOM] __attribute__((aligned(4096)));
static void (*act)(void);

static PLAIN void on_signal(int number)
{
    (void)number;
    act();
}

static PLAIN void nothing(void)
{
    __asm__ volatile("");
}

static PLAIN long used_by(void (*function)(void))
{
    stack_t own = {.ss_sp = stack, .ss_size = ROOM}, before;
    CHECK(sigaltstack(&own, &before) == 0);
    memset(stack, PAINT, ROOM);
    act = function;
    CHECK(raise(SIGUSR1) == 0);
    CHECK(sigaltstack(&before, NULL) == 0);
    long paint = 0;
    while (paint < ROOM && stack[paint] == PAINT)
        paint++;
    return ROOM - paint;
}

static PLAIN void try(const char *what, void (*function)(void))
{
    long used = used_by(function) - used_by(nothing);
    if (used > STACK_MAX + OWN)
        fprintf(stderr, "%s: hooks used %ld bytes of the program's stack, at most %d are allowed\n", what, used,
                STACK_MAX);
}

void leaf(void)
{
    COUNT();
}

void nested(void)
{
    COUNT();
    leaf();
}

void many(void)
{
    COUNT();
    for (int i = 0; i < 30000; i++)
        leaf();
}

static PLAIN void try_all(const char *first)
{
    try(first, leaf);
    try("a repeated call", leaf);
    try("a second repeated call", leaf);
    try("new paths", nested);
    try("known paths", nested);
    try("many calls", many);
    try("many more calls", many);
    usleep(2000);
    try("a call after waiting", nested);
}

static PLAIN void *thread(void *unused)
{
    try_all("the first hook of a thread");
    return unused;
}

PLAIN int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, before;
    pthread_t t;
    CHECK(sigaction(SIGUSR1, &action, &before) == 0);
    try_all("the first hook of the process");
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0);
    pthread_join(t, NULL);
    CHECK(sigaction(SIGUSR1, &before, NULL) == 0);
#ifndef SKIPPED
    expect_counts();
#endif
    EXPECT("nolaw");
    return 0;
}
