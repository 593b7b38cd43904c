/* spin [TIMES]: about a tenth of a second of work, or so many times that, most of it in a function that the
 * compiler inlines when it may, and some of that in the C library. */
#include <stdlib.h>
#include <string.h>

static volatile unsigned sum;
static char text[2048];

static inline void heavy(unsigned i)
{
    for (unsigned k = 0; k < 4000; k++)
        sum += k ^ i;
    memset(text, (int)i, sizeof text);
}

__attribute__((noinline)) static void light(unsigned i)
{
    for (unsigned k = 0; k < 1000; k++)
        sum += k + i;
}

int main(int argc, char **argv)
{
    unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    for (unsigned i = 0; i < times * 20000; i++) {
        heavy(i);
        light(i);
    }
    return 0;
}
