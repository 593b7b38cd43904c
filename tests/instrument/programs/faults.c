/* Page faults of one function, for --counters perf::PAGE-FAULTS. */
#include "expect.h"

#include <sys/mman.h>

#define PAGES 1000

void touch(char *p)
{
    COUNT();
    for (int i = 0; i < PAGES; i++)
        p[i * 4096] = 1;
}

void idle(void)
{
    COUNT();
}

int main(void)
{
    COUNT();
    char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, PAGES * 4096, MADV_NOHUGEPAGE);
    touch(p);
    for (int i = 0; i < 100; i++)
        idle();
    expect_counts();
    EXPECT("counter touch %d %d", PAGES, PAGES + 20);
    EXPECT("counter idle 0 20");
    EXPECT("closed 1");
    return 0;
}
