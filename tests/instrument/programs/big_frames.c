/* A function with much room on its stack calls another often: the room looks like that of a handler's frame. What is
 * called falls nevertheless, as soon as it is hot. */
#include "expect.h"

enum { ROOM = 20000, CALLS = 20000000 };

static volatile int sum;

static __attribute__((noinline)) void little(int i)
{
    sum += i;
}

static __attribute__((noinline)) void with_room(void)
{
    volatile char room[ROOM];
    room[0] = 1;
    for (int i = 0; i < CALLS; i++)
        little(i + room[0]);
}

int main(void)
{
    with_room();
    EXPECT("calls with_room 1");
    EXPECT("calls little %d", (int)CALLS);
    EXPECT("most timed %d", CALLS / 10);
    return 0;
}
