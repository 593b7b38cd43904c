/* The truth of the total: how long main took, without and with instrumentation. Preloaded into both builds.
 *
 * From main's entry until it returns or the program calls exit(). Appends "PROGRAM wall-ns cpu-ns" to $BENCH_STAMP; the
 * CPU time is that of the process and tells runs that had to wait for a processor. A statically linked program, one
 * that leaves by _exit() and one that is killed write nothing. Compiled without hooks. */
#define _GNU_SOURCE
#include "bench/programs/bench_clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                           void (*rtld_fini)(void), void *stack_end);

start_function __libc_start_main; /* of libc, in no header */

static main_function *real_main;
static int64_t wall_begin, cpu_begin;

static void stamp_end(void)
{
    int64_t wall = bench_clock_ns(CLOCK_MONOTONIC) - wall_begin;
    int64_t cpu = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    const char *path = getenv("BENCH_STAMP");
    if (!real_main || !path)
        return;
    real_main = NULL; /* once: main's return is followed by libc's own exit() */
    FILE *file = fopen(path, "a");
    if (!file || fprintf(file, "%s %" PRId64 " %" PRId64 "\n", program_invocation_short_name, wall, cpu) < 0)
        perror("main_stamp: BENCH_STAMP");
    if (file)
        fclose(file);
}

static int stamped_main(int argc, char **argv, char **environment)
{
    cpu_begin = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    wall_begin = bench_clock_ns(CLOCK_MONOTONIC);
    int status = real_main(argc, argv, environment);
    stamp_end();
    return status;
}

__attribute__((visibility("default"))) int __libc_start_main(main_function *main, int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack_end)
{
    start_function *start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(stamped_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((visibility("default"))) void exit(int status)
{
    void (*real_exit)(int) __attribute__((noreturn));
    *(void **)&real_exit = dlsym(RTLD_NEXT, "exit");
    stamp_end();
    real_exit(status);
}
