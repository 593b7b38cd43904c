/* What a call keeps, and what it gets and gives back: callers with values in every register, the static chain, doubles
 * in variable arguments, vectors, x87, complex numbers, pairs, tail calls. Each is checked when the function is first
 * called, often, and after its level fell; any difference ends the program. */
#include "expect.h"

#include <complex.h>
#include <stdarg.h>
#include <time.h>

typedef double wide4 __attribute__((vector_size(32)));
typedef double wide8 __attribute__((vector_size(64)));
struct pair {
    long a, b;
};
struct mixed {
    long a;
    double b;
};
struct doubles {
    double a, b;
};

#define KEPT __attribute__((noinline, noclone))

KEPT long six(long a, long b, long c, long d, long e, long f)
{
    COUNT();
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}

KEPT double eight(double a, double b, double c, double d, double e, double f, double g, double h)
{
    COUNT();
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

KEPT double variable(int n, ...)
{
    double sum = 0;
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double) * (i + 1);
    va_end(list);
    COUNT();
    return sum;
}

KEPT long double extended(long double a, long double b)
{
    COUNT();
    return a * b;
}

KEPT long double complex two_extended(long double complex a)
{
    COUNT();
    return a * 2;
}

KEPT double complex complex_of(double a, double b)
{
    COUNT();
    return a + b * I;
}

KEPT struct pair pair_of(long a, long b)
{
    COUNT();
    return (struct pair){a, b};
}

KEPT struct mixed mixed_of(long a, double b)
{
    COUNT();
    return (struct mixed){a, b};
}

KEPT struct doubles doubles_of(double a, double b)
{
    COUNT();
    return (struct doubles){a, b};
}

#ifdef __x86_64__
KEPT __attribute__((target("avx"))) wide4 add4(wide4 a, wide4 b)
{
    COUNT();
    return a + b;
}

KEPT __attribute__((target("avx"))) void check4(int i)
{
    wide4 a = {i, 2, 3, 4}, b = {10, 20, 30, 40}, c = add4(a, b);
    CHECK(c[0] == i + 10 && c[1] == 22 && c[2] == 33 && c[3] == 44);
}

KEPT __attribute__((target("avx512f"))) wide8 add8(wide8 a, wide8 b)
{
    COUNT();
    return a + b;
}

KEPT __attribute__((target("avx512f"))) void check8(int i)
{
    wide8 a = {i, 2, 3, 4, 5, 6, 7, 8}, b = {10, 20, 30, 40, 50, 60, 70, 80}, c = add8(a, b);
    CHECK(c[0] == i + 10 && c[3] == 44 && c[4] == 55 && c[7] == 88);
}
#endif

static long (*volatile through)(long, long, long, long, long, long) = six;

KEPT long tail_direct(long a, long b, long c, long d, long e, long f)
{
    COUNT();
    return six(f, e, d, c, b, a);
}

KEPT long tail_indirect(long a, long b, long c, long d, long e, long f)
{
    COUNT();
    return through(a, b, c, d, e, f);
}

/* The jump's target in a register of the caller's choice, al beside it. */
KEPT double tail_variable(double (*target)(int, ...), double a, double b)
{
    COUNT();
    return target(2, a, b);
}

#if !defined(__clang__) && defined(__x86_64__)
KEPT long nested(long n)
{
    COUNT();
    long outer = n * 5;
    KEPT long inner(long x) /* gets r10 */
    {
        return outer + x;
    }
    return inner(1) + inner(2);
}
#endif

#ifdef __x86_64__
KEPT void nothing(void)
{
    COUNT();
}

/* All that a call must keep, and the stack: rbx, rbp and r12 to r15 around a call of `nothing`. */
KEPT int keeps_registers(void)
{
    long wrong = 0;
    __asm__ volatile("push %%rbp\n push %%rbx\n"
                     "mov $0x1111, %%rbx\n mov $0x2222, %%rbp\n mov $0x3333, %%r12\n mov $0x4444, %%r13\n"
                     "mov $0x5555, %%r14\n mov $0x6666, %%r15\n"
                     "mov %%rsp, %%rax\n and $-16, %%rsp\n push %%rax\n push %%rax\n call nothing\n pop %%rax\n"
                     "pop %%rsp\n"
                     "sub $0x1111, %%rbx\n sub $0x2222, %%rbp\n sub $0x3333, %%r12\n sub $0x4444, %%r13\n"
                     "sub $0x5555, %%r14\n sub $0x6666, %%r15\n"
                     "or %%rbp, %%rbx\n or %%r12, %%rbx\n or %%r13, %%rbx\n or %%r14, %%rbx\n or %%r15, %%rbx\n"
                     "mov %%rbx, %%rax\n pop %%rbx\n pop %%rbp\n"
                     : "=&a"(wrong)
                     :
                     : "r12", "r13", "r14", "r15", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
    return wrong == 0;
}
#endif

KEPT void once(int i)
{
    double d = i;
    CHECK(six(i, 2, 3, 4, 5, 6) == i + 90);
    CHECK(eight(d, 2, 3, 4, 5, 6, 7, 8) == d + 203);
    CHECK(variable(9, d, 2., 3., 4., 5., 6., 7., 8., 9.) == d + 284);
    CHECK(extended(d, 3.5L) == d * 3.5L);
    long double complex z = two_extended(d + 4.0L * I);
    CHECK(creall(z) == 2 * d && cimagl(z) == 8);
    double complex y = complex_of(d, 9);
    CHECK(creal(y) == d && cimag(y) == 9);
    struct pair p = pair_of(i, ~(long)i);
    CHECK(p.a == i && p.b == ~(long)i);
    struct mixed m = mixed_of(i, 2.5);
    CHECK(m.a == i && m.b == 2.5);
    struct doubles q = doubles_of(d, -d);
    CHECK(q.a == d && q.b == -d);
    CHECK(tail_direct(6, 5, 4, 3, 2, i) == i + 90);
    CHECK(tail_indirect(i, 2, 3, 4, 5, 6) == i + 90);
    CHECK(tail_variable(variable, d, 2) == d + 4);
#ifdef __x86_64__
    CHECK(keeps_registers());
    if (__builtin_cpu_supports("avx"))
        check4(i);
    if (__builtin_cpu_supports("avx512f"))
        check8(i);
#if !defined(__clang__)
    CHECK(nested(i) == 10 * (long)i + 3);
#endif
#endif
}

int main(void)
{
    COUNT();
    struct timespec pause = {0, 3000000};
    for (int i = 0; i < 20; i++)
        once(i);
    for (int i = 0; i < 20000; i++) { /* levels fall, where they do */
        once(i);
        if (i % 1000 == 0)
            nanosleep(&pause, NULL); /* what is due is looked at with arguments in registers */
    }
    expect_counts();
    EXPECT("closed 1");
    EXPECT("nolaw");
    return 0;
}
