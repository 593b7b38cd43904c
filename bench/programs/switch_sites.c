/* Preloaded into a program whose hooks are the C library's empty ones, or one with sleds: brings empty hooks and probes
 * of its own, and turns their sites off at the start and then on and off while the program runs.
 *
 *   BENCH_SITES=ON/OFF      microseconds of each; absent: nothing is done; 0/0: off for good
 *   BENCH_SITES_FILE=FILE   gets, at the end, a line: enters exits switches find_us first_us median_us best_us
 *
 * The switches are made by a thread, so that they are made while the program runs. */
#include "profiler/code/sites/sites.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function;
    (void)site;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
}

/* Probes of sleds that do nothing: a return sled jumps here instead of returning, the slot of a tail call has pushed
 * r11. */
static __attribute__((naked)) void empty_probe(void)
{
    __asm__("ret");
}

static __attribute__((naked)) void empty_tail_probe(void)
{
    __asm__("popq %r11\n\tret");
}

static struct sites_found found;
static unsigned on_us, off_us;
static double find_us, first_us, took_us[4096]; /* of the last switches */
static unsigned long switches;
static bool stop;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double turn(bool on)
{
    uint32_t left_alone = 0;
    double begin = now_us();
    sites_switch(0, UINT64_MAX, on, &left_alone);
    return now_us() - begin;
}

static void *switch_on_and_off(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        usleep(switches & 1 ? on_us : off_us);
        took_us[switches % 4096] = turn(!(switches & 1));
        switches++;
    }
    return NULL;
}

static __attribute__((constructor)) void begin(void)
{
    const char *times = getenv("BENCH_SITES");
    pthread_t thread;
    if (!times || sscanf(times, "%u/%u", &on_us, &off_us) != 2)
        return;
    unsetenv("LD_PRELOAD");
    double start = now_us();
    if (sites_start((uint64_t)(uintptr_t)__cyg_profile_func_enter, (uint64_t)(uintptr_t)__cyg_profile_func_exit))
        return;
    if (sites_find_sleds()) {
        uint64_t probe = (uint64_t)(uintptr_t)empty_probe, tail = (uint64_t)(uintptr_t)empty_tail_probe;
        static struct slot_probes probes;
        probes = (struct slot_probes){probe, probe, probe, probe, tail, probe, probe, probe};
        sites_use_slots(&probes, false);
        sites_meet_sleds();
    } else
        sites_meet(getauxval(AT_ENTRY));
    find_us = now_us() - start;
    found = sites_known();
    first_us = turn(false);
    if (on_us && pthread_create(&thread, NULL, switch_on_and_off, NULL) == 0)
        pthread_detach(thread);
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static __attribute__((destructor)) void end(void)
{
    unsigned long kept = switches < 4096 ? switches : 4096;
    const char *path = getenv("BENCH_SITES_FILE");
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    qsort(took_us, kept, sizeof(took_us[0]), compare);
    fprintf(file, "%u %u %lu %.1f %.1f %.1f %.1f\n", found.enters, found.exits, switches, find_us, first_us,
            kept ? took_us[kept / 2] : 0, kept ? took_us[0] : 0);
    fclose(file);
}
