/* A thread that calls all the time, while hooks go off and on: from the moment at which counting stops nothing is
 * counted, though the sites are still on, and each of them is a call more until all have changed. */
#include "tests/profiler/site_control.h"

#include <cstdio>
#include <pthread.h>
#include <unistd.h>

#define NAMED extern "C" __attribute__((noinline))

static volatile unsigned sum;
static bool stop;

NAMED void tiny(unsigned x)
{
    sum = sum + x;
}

NAMED void *call(void *)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        for (unsigned i = 0; i < 1000; i++)
            tiny(i);
    return nullptr;
}

__attribute__((no_instrument_function)) static int check_halts()
{
    uint64_t before = control_calls();
    for (unsigned i = 0; i < 100; i++) {
        usleep(100);
        control_halt();
        uint64_t halted = control_calls();
        usleep(1000);
        uint64_t later = control_calls();
        if (later > halted + 1) { /* of the hook that was under way */
            fprintf(stderr, "%lu calls counted\n", (unsigned long)(later - halted));
            return 1;
        }
        control_turn(false);
        control_turn(true);
    }
    return control_calls() > before ? 0 : 2;
}

int main()
{
    pthread_t thread;
    control_find((const void *)tiny);
    pthread_create(&thread, nullptr, call, nullptr);
    int status = check_halts();
    stop = true;
    pthread_join(thread, nullptr);
    return status;
}
