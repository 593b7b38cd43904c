/*
 * Calls of functions of many shapes, counted by sleds and by hand. A function of which gcc makes no copies is marked
 * SEEN; others may be counted less often, where a call of them was inlined or folded.
 */
#include "tests/instrument/gcc/sled_patcher.h"

#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEN __attribute__((noinline, noclone, used))

volatile int opaque = 1;
int table[8] = {3, 5, 7, 9, 11, 13, 15, 17};
static int failures;

static __attribute__((no_instrument_function)) void same(const char *what, double found, double expected)
{
    if (found != expected) {
        printf("%s: %g, expected %g\n", what, found, expected);
        failures++;
    }
}

/* The body is a loop: its first label is the function's first instruction. */
SEEN unsigned int one_loop(unsigned int n)
{
    do
        n = n / 2 + (unsigned int)table[n & 7];
    while (n > 40);
    return n;
}

SEEN void count_down(volatile int *p)
{
    while (--*p)
        ;
}

SEEN __attribute__((noreturn)) void for_ever(jmp_buf back)
{
    int n = 0;
    for (;;)
        if (++n == 1000 * opaque)
            longjmp(back, 1);
}

/* Through a pointer: gcc would turn half of the calls into a loop. */
static unsigned long fib_calls;
static int (*volatile fib_again)(int);
SEEN int fib(int n)
{
    fib_calls++;
    return n < 2 ? n : fib_again(n - 1) + fib_again(n - 2);
}

SEEN int odd(int n);
SEEN int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}
SEEN int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}

SEEN int leaf(int n)
{
    return n * opaque;
}
SEEN int conditional_tail(int n)
{
    return n > 10 ? leaf(n) : -1;
}
SEEN int indirect_tail(int (*function)(int), int n)
{
    return function(n);
}

SEEN double sum_doubles(int count, ...)
{
    double sum = 0;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return sum;
}

SEEN int nested(int n)
{
    int sum = 0;
    __attribute__((noinline)) void add_to_sum(int value)
    {
        sum += value;
    }
    for (int i = 0; i < n; i++)
        add_to_sum(i);
    return sum;
}

static int total_visited;
SEEN void visit(void (*visitor)(int))
{
    visitor(2), visitor(3);
}
SEEN void nested_pointer(void)
{
    int here = 10;
    void visitor(int value)
    {
        total_visited += here += value;
    }
    visit(visitor);
}

SEEN double many(int a, long b, int c, long d, int e, long f, int g, long h, double i, float j, double k, double l,
                 double m, double n, double o, double p, double q, long r)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + i + j + k + l + m + n + o + p + 9 * q + 10 * r;
}

struct pair {
    long first, second;
};
struct mixed {
    double value;
    long number;
};
struct big {
    long values[9];
};
SEEN struct pair return_pair(long n)
{
    return (struct pair){n, n + 1};
}
SEEN struct mixed return_mixed(long n)
{
    return (struct mixed){(double)n, n + 1};
}
SEEN struct big return_big(long n)
{
    return (struct big){{n, n + 1, 2, 3, 4, 5, 6, 7, n + 8}};
}
SEEN long double return_long_double(long n)
{
    return n * 1.5L;
}
SEEN _Complex double return_complex(double n)
{
    return n + 2.0 * n * 1i;
}
SEEN __int128 return_int128(long n)
{
    return (__int128)n << 65 | n;
}

SEEN int run(const char *code)
{
    static const void *const labels[] = {&&add, &&twice, &&end};
    int value = 1;
    goto *labels[*code++ - 'a'];
add:
    value += opaque;
    goto *labels[*code++ - 'a'];
twice:
    value *= 2;
    goto *labels[*code++ - 'a'];
end:
    return value;
}

SEEN int pick(int n)
{
    switch (n) {
    case 0:
        return leaf(1);
    case 1:
        return table[n] + 4;
    case 2:
        return n * table[2];
    case 3:
        return -7 / opaque;
    case 4:
        return leaf(5) + leaf(6);
    default:
        return n;
    }
}

SEEN int with_asm_goto(int n)
{
    __asm__ goto("test %0, %0; jz %l1" : : "r"(n) : "cc" : zero);
    return n;
zero:
    return -1;
}

static jmp_buf place;
SEEN void jump(int n)
{
    longjmp(place, n);
}
SEEN int catching(int n)
{
    volatile int times = 0;
    int value = setjmp(place);
    times++;
    if (value < n)
        jump(value + 1);
    return times;
}

SEEN int aligned_frame(int n)
{
    __attribute__((aligned(64))) char buffer[64];
    memset(buffer, n, sizeof buffer);
    __asm__ volatile("" : : "r"(buffer) : "memory");
    return ((unsigned long)buffer % 64 == 0) * buffer[5 * opaque];
}

SEEN int with_alloca(int n)
{
    char *memory = alloca((size_t)n);
    memset(memory, 1, (size_t)n);
    __asm__ volatile("" : : "r"(memory) : "memory");
    return memory[n - 1];
}

static unsigned long compared;
SEEN int compare(const void *a, const void *b)
{
    compared++;
    return *(const int *)a - *(const int *)b;
}

SEEN int original(int n)
{
    return n + opaque;
}
int other_name(int) __attribute__((alias("original")));
__attribute__((weak, noinline, noclone)) int weak_function(int n)
{
    return n - opaque;
}
SEEN __attribute__((section("own_text"))) int in_section(int n)
{
    return n ^ opaque;
}
SEEN __attribute__((no_instrument_function)) int unseen(int n)
{
    return n + opaque;
}
SEEN __attribute__((cold)) int cold_function(int n)
{
    return n + 2 * opaque;
}
SEEN __attribute__((optimize("O2", "ipa-ra"))) int with_attribute(int n)
{
    return n + opaque;
}
SEEN __attribute__((ms_abi)) int for_windows(int a, double b, int c)
{
    return a + (int)b + c * opaque;
}
SEEN __attribute__((target("avx"))) float with_avx(float *p)
{
    return p[0] + p[1] * (float)opaque;
}

/* gcc moves the unlikely part away. */
SEEN int split(int n)
{
    if (__builtin_expect(n > 1000, 0)) {
        cold_function(n);
        return cold_function(n + 1) + opaque;
    }
    return n;
}

static unsigned long constructed;
__attribute__((constructor)) SEEN void at_start(void)
{
    constructed++;
}

static inline __attribute__((always_inline)) int vanishes(int n)
{
    return n + 1;
}

static __attribute__((no_instrument_function)) void functions_and_results(void)
{
    static volatile int down = 1000;
    for (unsigned int i = 0; i < 5; i++)
        same("one_loop", one_loop(0xffffffffu * (unsigned int)opaque) > 40, 0);
    count_down(&down);
    jmp_buf back;
    if (!setjmp(back))
        for_ever(back);
    fib_again = fib;
    same("fib", fib(15), 610);
    same("even", even(1001), 0);
    same("conditional_tail", conditional_tail(11) + conditional_tail(5), 10);
    same("indirect_tail", indirect_tail(leaf, 21), 21);
    same("sum_doubles", sum_doubles(10, 1, 0.5, 2, 0.5, 3, 0.25, 4, 0.25, 5, 0.5), 17);
    same("nested", nested(10), 45);
    nested_pointer();
    same("nested_pointer", total_visited, 27);
    same("many", many(1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 421);
    same("return_pair", (double)(return_pair(4).first + 10 * return_pair(4).second), 54);
    same("return_mixed", return_mixed(4).value + 10 * (double)return_mixed(4).number, 54);
    same("return_big", (double)(return_big(4).values[0] + return_big(4).values[8]), 16);
    same("return_long_double", (double)return_long_double(3), 4.5);
    same("return_complex", __real__ return_complex(2), 2);
    same("return_int128", (double)(return_int128(5) >> 64), 10);
    same("run", run("abbabac"), 19);
    for (int i = 0; i < 6; i++)
        same("pick", pick(i), (const double[]){1, 9, 14, -7, 11, 5}[i]);
    same("with_asm_goto", with_asm_goto(0) + with_asm_goto(3), 2);
    same("catching", catching(4), 5);
    same("aligned_frame", aligned_frame(3), 3);
    same("with_alloca", with_alloca(77), 1);
    int numbers[] = {9, 2, 5, 1, 8};
    qsort(numbers, 5, sizeof *numbers, compare);
    same("qsort", numbers[0] + 10 * numbers[4], 91);
    same("other_name", other_name(1) + original(2), 5);
    same("weak_function", weak_function(1), 0);
    same("in_section", in_section(4), 5);
    same("unseen", unseen(1), 2);
    same("split", split(5) + split(2000), 2009);
    same("with_attribute", with_attribute(1), 2);
    same("for_windows", for_windows(1, 2.0, 3), 6);
    float floats[] = {1, 2};
    same("with_avx", __builtin_cpu_supports("avx") ? with_avx(floats) : 3, 3);
    same("vanishes", vanishes(opaque), 2);
}

static __attribute__((no_instrument_function)) void counts(void)
{
    sleds_expect("one_loop", 5, 5);
    sleds_expect("count_down", 1, 1);
    sleds_expect("for_ever", 1, 0);
    sleds_expect("fib", fib_calls, fib_calls);
    unsigned long even_odd = sleds_entries("even") + sleds_entries("odd");
    same("entries of even and odd", (double)even_odd, sleds_functions("even") && even_odd != 1 ? 1002 : 1);
    same("exits of even and odd", (double)(sleds_exits("even") + sleds_exits("odd")), (double)even_odd);
    sleds_expect("leaf", 5, 5);
    sleds_expect("conditional_tail", 2, 2);
    sleds_expect("indirect_tail", 1, 1);
    sleds_expect("sum_doubles", 1, 1);
    sleds_expect("nested", 1, 1);
    sleds_expect("add_to_sum", 10, 10);
    sleds_expect("visitor", 2, 2);
    sleds_expect("many", 1, 1);
    sleds_expect("return_pair", 2, 2);
    sleds_expect("return_mixed", 2, 2);
    sleds_expect("return_big", 2, 2);
    sleds_expect("return_long_double", 1, 1);
    sleds_expect("return_complex", 1, 1);
    sleds_expect("return_int128", 1, 1);
    sleds_expect("run", 1, 1);
    sleds_expect("pick", 6, 6);
    sleds_expect("with_asm_goto", 2, 2);
    sleds_expect("catching", 1, 1);
    sleds_expect("jump", 4, 0);
    sleds_expect("aligned_frame", 1, 1);
    sleds_expect("with_alloca", 1, 1);
    sleds_expect("compare", compared, compared);
    sleds_expect("original", 2, 2);
    sleds_expect("weak_function", 1, 1);
    sleds_expect("in_section", 1, 1);
    sleds_expect("cold_function", 2, 2);
    sleds_expect("split", 2, 2);
    sleds_expect("with_attribute", 1, 1);
    sleds_expect("for_windows", 1, 1);
    same("functions without sleds", (double)(sleds_functions("unseen") + sleds_functions("vanishes")), 0);
    same("constructors", (double)constructed, 1);
}

__attribute__((no_instrument_function)) int main(void)
{
    sleds_patch();
    functions_and_results();
    counts();
    return failures + sleds_failures() ? 1 : 0;
}
