/* A thread that calls all the time, while hooks go off and on: from the moment at which counting stops nothing is
 * counted, though the sites are still on. But for a hook that is kept from its processor for longer than it is waited
 * for: on a busy machine once in a thousand times. */
#include "tests/profiler/site_control.h"

#include <cstdio>
#include <pthread.h>
#include <unistd.h>

#define HALTS 100u
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
    unsigned went_on = 0;
    for (unsigned i = 0; i < HALTS; i++) {
        usleep(100);
        control_halt();
        uint64_t halted = control_calls();
        usleep(1000);
        uint64_t later = control_calls();
        went_on += later > halted + 1; /* of the hook that was under way */
        control_turn(false);
        control_turn(true);
    }
    if (went_on > HALTS / 20)
        fprintf(stderr, "%u of %u times calls were counted\n", went_on, HALTS);
    return went_on > HALTS / 20 || control_calls() == before;
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
