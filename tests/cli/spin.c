/* spin: about a tenth of a second of work, two thirds of it in a function that the compiler inlines when it may, and
 * some of that in the C library. */
#include <string.h>

static volatile unsigned sum;
static char text[2048];

static inline void heavy(unsigned i)
{
    for (unsigned k = 0; k < 2000; k++)
        sum += k ^ i;
    memset(text, (int)i, sizeof text);
}

__attribute__((noinline)) static void light(unsigned i)
{
    for (unsigned k = 0; k < 1000; k++)
        sum += k + i;
}

int main(void)
{
    for (unsigned i = 0; i < 20000; i++) {
        heavy(i);
        light(i);
    }
    return 0;
}
