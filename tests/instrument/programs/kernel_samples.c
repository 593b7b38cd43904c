/* A second event samples system calls; it rests while there are none, since it interrupts computing as often, at half
 * the cost of a sample. Where perf gives no samples of the kernel, or none at all, there is no second one. */
#include "expect.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char buffer[1 << 16];

/* Mappings of perf events in this process. */
static int events(void)
{
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof(line), maps))
        count += strstr(line, "[perf_event]") != NULL;
    fclose(maps);
    return count;
}

static int kernel_may_be_sampled(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof(a),
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = 1000000,
                                .exclude_user = 1};
    long fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
    if (fd >= 0)
        close((int)fd);
    return fd >= 0;
}

/* Ticks that the host of a virtual machine gave to others: the kernel misses periods then. */
static long stolen(void)
{
    long ticks = 0;
    FILE *stat = fopen("/proc/stat", "r");
    if (stat && fscanf(stat, "cpu %*d %*d %*d %*d %*d %*d %*d %ld", &ticks) != 1)
        ticks = 0;
    if (stat)
        fclose(stat);
    return ticks;
}

/* Reads no clock: that would be a system call. */
__attribute__((noinline)) void compute(void)
{
    COUNT();
    for (volatile long i = 0; i < 100000000; i++)
        ;
}

__attribute__((noinline)) void call_the_system(void)
{
    COUNT();
    int zeros = open("/dev/zero", O_RDONLY);
    CHECK(zeros >= 0);
    for (int i = 0; i < 60000; i++) {
        CHECK(read(zeros, buffer, sizeof(buffer)) == sizeof(buffer));
        for (volatile int k = 0; k < 5000; k++)
            ;
    }
    close(zeros);
}

int main(void)
{
    COUNT();
    long before = stolen();
    int computing = 2;
    for (int i = 0; computing > 1 && i < 20; i++) {
        compute();
        computing = events();
    }
    CHECK(computing <= 1 || stolen() > before);
    int expected = computing && kernel_may_be_sampled() ? 2 : computing, calling = -1;
    for (int i = 0; calling != expected && i < 5; i++) { /* on a busy machine periods are missed otherwise, too */
        call_the_system();
        calling = events();
    }
    CHECK(calling == expected);
    expect_counts();
    return 0;
}
