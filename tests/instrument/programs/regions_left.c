/* Regions that the program leaves open: timed until the function around them ends, all along. */
#include "expect.h"
#include "instrument/pcomp.h"

enum { ROUNDS = 60, ROUND_MS = 2 };

PLAIN __attribute__((noinline)) void spin(void)
{
    for (double begin = expect_now_ms(); expect_now_ms() - begin < ROUND_MS;)
        ;
}

/* Nothing on its stack but what the hooks see. */
__attribute__((noinline)) void leaves_it_open(void)
{
    pcomp_region_begin("part");
    spin();
}

int main(void)
{
    double begin = expect_now_ms();
    for (int round = 0; round < ROUNDS; round++)
        leaves_it_open();
    EXPECT("path main>leaves_it_open>part %d", ROUNDS);
    EXPECT("elapsed part %d %.3f", ROUNDS * ROUND_MS, expect_now_ms() - begin);
    EXPECT("uncertain %d", ROUNDS);
    EXPECT("abandoned %d", ROUNDS);
    EXPECT("falls 0");
    EXPECT("nolaw");
    return 0;
}
