/* Computes, and then waits all the time. Says how many perf events the process has after each. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SWITCHES    12000
#define COMPUTES_NS 20000000 /* some ticks */

static int mapped_events(void)
{
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        count += strstr(line, "[perf_event]") != NULL;
    if (maps)
        fclose(maps);
    return count;
}

static long processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(void)
{
    for (long end = processor_ns() + COMPUTES_NS; processor_ns() < end;)
        ;
    printf("computing %d\n", mapped_events());
    for (int i = 0; i < SWITCHES; i++)
        nanosleep(&(struct timespec){0, 1}, NULL);
    printf("waiting %d\n", mapped_events());
    return 0;
}
