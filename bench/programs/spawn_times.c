/* Start-up cost of programs, taken in turn: spawn_times RUNS COMMAND -- COMMAND [-- COMMAND...]
 *
 * A COMMAND is [NAME=VALUE...] PROGRAM [ARG...]; "{}" in a VALUE becomes the number of the run. For each command, in
 * order, prints medians and bests in microseconds:
 *   wall_median wall_best cpu_median cpu_best first_median first_best
 * "first" is the time from the fork to the monotonic nanosecond that the program printed; -1 when it printed none. */
#define _GNU_SOURCE
#include "bench/programs/bench_clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMANDS_MAX = 8, SERIES = 3 };

static void set_variable(const char *text, unsigned long run)
{
    char name[128], value[4096] = "", *out = value;
    size_t length = strcspn(text, "=");
    if (length >= sizeof name)
        return;
    memcpy(name, text, length);
    name[length] = 0;
    for (const char *in = text + length + 1; *in && out < value + sizeof value - 24; in++) {
        if (in[0] == '{' && in[1] == '}') {
            out += sprintf(out, "%lu", run);
            in++;
        } else {
            *out++ = *in;
        }
    }
    *out = 0;
    setenv(name, value, 1);
}

static _Noreturn void run_child(char **command, unsigned long run, int output)
{
    for (; *command && strchr(*command, '='); command++)
        set_variable(*command, run);
    dup2(output, STDOUT_FILENO);
    if (*command)
        execvp(*command, command);
    perror(*command ? *command : "spawn_times");
    _exit(127);
}

/* Times of one run in microseconds: wall, CPU, first. */
static int run_once(char **command, unsigned long run, double times[SERIES])
{
    int ends[2], status;
    char text[64] = "";
    struct rusage usage;
    if (pipe2(ends, O_CLOEXEC)) {
        perror("spawn_times");
        return 1;
    }
    int64_t begin = bench_clock_ns(CLOCK_MONOTONIC);
    pid_t pid = fork();
    if (pid == 0)
        run_child(command, run, ends[1]);
    close(ends[1]);
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "spawn_times: %s: failed\n", command[0]);
        return 1;
    }
    times[0] = (double)(bench_clock_ns(CLOCK_MONOTONIC) - begin) / 1e3;
    times[1] = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    times[2] = got > 0 && text[0] >= '1' && text[0] <= '9' ? (double)(strtoll(text, NULL, 10) - begin) / 1e3 : -1;
    close(ends[0]);
    return 0;
}

int main(int argc, char **argv)
{
    char **commands[COMMANDS_MAX];
    size_t count = 0, runs = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    for (int i = 2; i < argc && count < COMMANDS_MAX; i++) {
        commands[count++] = argv + i;
        while (i < argc && strcmp(argv[i], "--"))
            i++;
        argv[i] = NULL;
    }
    double *values = calloc(runs * COMMANDS_MAX * SERIES + 1, sizeof *values);
    if (!runs || !count || !values) {
        fprintf(stderr, "usage: spawn_times RUNS COMMAND -- COMMAND...\n");
        return 2;
    }
    for (size_t r = 0; r < runs; r++)
        for (size_t c = 0; c < count; c++) {
            double times[SERIES];
            if (run_once(commands[c], r, times))
                return 1;
            for (size_t s = 0; s < SERIES; s++)
                values[(c * SERIES + s) * runs + r] = times[s];
        }
    for (size_t c = 0; c < count; c++) {
        for (size_t s = 0; s < SERIES; s++) {
            double *series = values + (c * SERIES + s) * runs, median = bench_median(series, runs);
            printf("%.1f %.1f%c", median, series[0], s + 1 < SERIES ? ' ' : '\n');
        }
    }
    free(values);
    return 0;
}
