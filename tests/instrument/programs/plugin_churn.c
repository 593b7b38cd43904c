/* One file, two builds. With -DPLUGIN: a plug-in whose work needs a deep stack in libc. Without: loads and unloads it
 * all the time for as many milliseconds as the second argument says, beside a thread that only calls. */
#include <stdlib.h>
#ifdef PLUGIN
static int order(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int work(int seed);
int work(int seed)
{
    int values[256], sum = 0;
    for (int i = 0; i < 256; i++)
        values[i] = (int)((unsigned)(seed + i) * 1103515245u >> 8);
    qsort(values, 256, sizeof *values, order);
    for (int i = 0; i < 255; i++)
        sum += values[i] <= values[i + 1];
    return sum;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static double until;
static volatile int sink;

__attribute__((no_instrument_function)) static bool goes_on(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec < until;
}

static int spin(int n)
{
    int x = 0;
    for (int i = 0; i < n; i++)
        x ^= i * x + 1;
    return x;
}

static void *other(void *unused)
{
    while (goes_on())
        for (int i = 0; i < 100; i++)
            sink = spin(1000);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    until = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + (argc > 2 ? 1e-3 * atof(argv[2]) : 0);
    if (argc < 2 || pthread_create(&thread, NULL, other, NULL))
        return 1;
    while (goes_on()) {
        void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        int (*work)(int) = NULL;
        if (plugin)
            *(void **)&work = dlsym(plugin, "work");
        if (!work) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        for (int i = 0; i < 10; i++)
            if (work(i) != 255)
                return 2;
        dlclose(plugin);
    }
    return pthread_join(thread, NULL);
}
#endif
