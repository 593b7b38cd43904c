/* sample [exit STATUS | signal NUMBER | wait | echo TEXT...]: an instrumented program of 1 + 10 + 1000 calls. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sum;
static volatile sig_atomic_t got;

__attribute__((noinline)) static void inner(int i)
{
    sum += i;
}

__attribute__((noinline)) static void outer(void)
{
    for (int i = 0; i < 100; i++)
        inner(i);
}

__attribute__((no_instrument_function)) static void note(int number)
{
    got = number;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 10; i++)
        outer();
    if (!strcmp(verb, "exit"))
        return (int)strtol(argv[2], NULL, 10);
    if (!strcmp(verb, "signal"))
        raise((int)strtol(argv[2], NULL, 10));
    if (!strcmp(verb, "echo"))
        for (int i = 2; i < argc; i++)
            printf("[%s]\n", argv[i]);
    if (!strcmp(verb, "wait")) { /* until a signal: says which */
        signal(SIGTERM, note);
        signal(SIGINT, note);
        puts("waiting");
        fflush(stdout);
        while (!got)
            usleep(1000);
        printf("got signal %d\n", (int)got);
    }
    return 0;
}
