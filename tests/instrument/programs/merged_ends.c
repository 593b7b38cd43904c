/* Two functions that the compiler inlined in a third, and whose ends it merged: one call of the exit hook for both. The
 * hot one falls, which turns that site off, before the rare one comes for the first time. With ONCE the third is called
 * once, so that no exit of it tells of what was left. */
#include "expect.h"

#include <stdbool.h>

#define TEN(x) x x x x x x x x x x

enum { ROUNDS = 150, HOT = 500000 };

#ifdef ONCE
enum { CALLS = 1, LOOPS = ROUNDS };
#else
enum { CALLS = ROUNDS, LOOPS = 1 };
#endif

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

PLAIN __attribute__((noinline)) void hot(void)
{
    __asm__ volatile("" ::"i"(1));
}

PLAIN __attribute__((noinline)) void rare(void)
{
    __asm__ volatile("" ::"i"(2));
}

PLAIN __attribute__((noinline)) void around(bool first)
{
    void *site = __builtin_return_address(0);
    __cyg_profile_func_enter((void *)around, site);
    for (int i = 0; i < LOOPS * HOT; i++) {
        void *inlined = (void *)hot;
        if (i % HOT == HOT / 2 && (!first || i > HOT)) {
            inlined = (void *)rare;
            __cyg_profile_func_enter((void *)rare, site);
            __asm__ volatile("nop");
        } else {
            __cyg_profile_func_enter((void *)hot, site);
            __asm__ volatile("nop; nop");
        }
        /* one end, for whatever function, and too long to be copied */
        __asm__ volatile(TEN("nop\n") TEN("nop\n") TEN("nop\n") TEN("nop\n") : "+r"(inlined));
        __cyg_profile_func_exit(inlined, site);
    }
    __cyg_profile_func_exit((void *)around, site);
}

int main(void)
{
    for (int call = 0; call < CALLS; call++)
        around(call == 0);
    EXPECT("calls around %d", CALLS);
    EXPECT("calls rare %d", ROUNDS - 1);
    EXPECT("most uncertain %d", ROUNDS / 3);
    EXPECT("most abandoned %d", ROUNDS / 3);
    EXPECT("nolaw");
    return 0;
}
