/* Functions that must not have sleds, or that leave in ways of their own. Not all of them can be run. */
#include <stddef.h>

#define SEEN __attribute__((noinline, noclone, used))

volatile int opaque = 1;
int unknown(int);

SEEN int plain(int n)
{
    return n + opaque;
}

SEEN __attribute__((naked)) void naked_function(void)
{
    __asm__("ret");
}
SEEN __attribute__((no_instrument_function)) int left_out(int n)
{
    return plain(n) + 1;
}
SEEN __attribute__((target("general-regs-only"), no_caller_saved_registers)) void keeps_registers(void)
{
    opaque++;
}
SEEN __attribute__((target("general-regs-only"), interrupt)) void interrupt_handler(void *frame)
{
    opaque++;
}

static int (*resolve_chosen(void))(int)
{
    return plain;
}
int chosen(int) __attribute__((ifunc("resolve_chosen")));
__attribute__((target_clones("avx2", "default"), noinline)) int cloned(const int *p)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += p[i] * opaque;
    return sum;
}

#if !__CET__ // gcc takes only one of the two
SEEN int plain_thunk_return(int n) __attribute__((function_return("thunk")));
#endif
SEEN int plain_thunk_return(int n)
{
    return n + opaque;
}

void *landing;
SEEN void leaves_by_eh_return(long offset, int n)
{
    plain(n);
    __builtin_unwind_init();
    if (n > 5)
        __builtin_eh_return(offset, landing);
}

SEEN __attribute__((noreturn)) void never_returns(void)
{
    for (;;)
        opaque++;
}

/* The unlikely part stands in a section of its own and leaves from there. */
SEEN __attribute__((cold)) int rare(int n)
{
    return n * opaque;
}
SEEN int partitioned(int n)
{
    if (__builtin_expect(n > 100, 0)) {
        rare(n);
        return rare(n + 1);
    }
    return n;
}

int never_called(int n)
{
    return plain(n) + 4;
}
SEEN __attribute__((section("own_text"))) int in_own_section(int n)
{
    return n ^ opaque;
}

int main(void)
{
    static const int numbers[100] = {1};
    return chosen(1) + cloned(numbers) + left_out(2) + partitioned(opaque) + plain_thunk_return(3) +
               in_own_section(1) !=
           1 + 1 + 1 + 2 + 1 + 1 + 1 + 3 + 1;
}
