/* Recursion to a depth of 100,000, each level a call path of its own: deep_recursion [DEPTH]. */
#include "bench/programs/resident.h"

BENCH_CALL static unsigned long descend(unsigned long depth)
{
    return depth ? 1 + descend(depth - 1) : 0;
}

int main(int argc, char **argv)
{
    unsigned long depth = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    unsigned long reached = descend(depth - 1) + 1;
    reached += descend(depth - 1) + 1; /* and again, along known paths */
    printf("calls %lu\nresident_kib %ld\n", reached, bench_resident_kib());
    return 0;
}
