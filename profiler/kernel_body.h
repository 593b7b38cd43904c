/* One copy of the calibration kernel: an evaluator of sums in functions as small as they come in interpreters and
 * parsers. KERNEL(name) gives this copy's names; ENTER(f) and EXIT(f) stand where a compiler puts its hooks. */
#include "profiler/calibration_kernel.h"

#define FUNCTION __attribute__((noinline)) static

struct reader {
    const char *at, *end;
    unsigned depth;
    long stack[16];
};

FUNCTION int KERNEL(peek)(const struct reader *r)
{
    ENTER(peek);
    int c = r->at < r->end ? *r->at : 0;
    EXIT(peek);
    return c;
}

FUNCTION int KERNEL(take)(struct reader *r)
{
    ENTER(take);
    int c = KERNEL(peek)(r);
    r->at += c != 0;
    EXIT(take);
    return c;
}

FUNCTION void KERNEL(push)(struct reader *r, long value)
{
    ENTER(push);
    r->stack[r->depth++ % 16] = value;
    EXIT(push);
}

FUNCTION long KERNEL(pop)(struct reader *r)
{
    ENTER(pop);
    long value = r->stack[--r->depth % 16];
    EXIT(pop);
    return value;
}

FUNCTION int KERNEL(is_digit)(int c)
{
    ENTER(is_digit);
    int yes = c >= '0' && c <= '9';
    EXIT(is_digit);
    return yes;
}

FUNCTION void KERNEL(number)(struct reader *r)
{
    ENTER(number);
    unsigned long value = 0;
    while (KERNEL(is_digit)(KERNEL(peek)(r)))
        value = value * 10 + (unsigned long)(KERNEL(take)(r) - '0');
    KERNEL(push)(r, (long)value);
    EXIT(number);
}

FUNCTION void KERNEL(sum)(struct reader *r);

FUNCTION void KERNEL(factor)(struct reader *r)
{
    ENTER(factor);
    if (KERNEL(peek)(r) == '(') {
        KERNEL(take)(r);
        KERNEL(sum)(r);
        KERNEL(take)(r);
    } else
        KERNEL(number)(r);
    EXIT(factor);
}

FUNCTION void KERNEL(product)(struct reader *r)
{
    ENTER(product);
    KERNEL(factor)(r);
    while (KERNEL(peek)(r) == '*') {
        KERNEL(take)(r);
        KERNEL(factor)(r);
        unsigned long b = (unsigned long)KERNEL(pop)(r), a = (unsigned long)KERNEL(pop)(r);
        KERNEL(push)(r, (long)(a * b));
    }
    EXIT(product);
}

FUNCTION void KERNEL(sum)(struct reader *r)
{
    ENTER(sum);
    KERNEL(product)(r);
    while (KERNEL(peek)(r) == '+' || KERNEL(peek)(r) == '-') {
        int c = KERNEL(take)(r);
        KERNEL(product)(r);
        unsigned long b = (unsigned long)KERNEL(pop)(r), a = (unsigned long)KERNEL(pop)(r);
        KERNEL(push)(r, (long)(c == '+' ? a + b : a - b));
    }
    EXIT(sum);
}

__attribute__((no_instrument_function)) long KERNEL(kernel)(const char *text, unsigned long length)
{
    struct reader r = {text, text + length, 0, {0}};
    KERNEL(sum)(&r);
    return KERNEL(pop)(&r);
}
