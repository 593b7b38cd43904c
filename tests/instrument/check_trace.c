/* check_trace EXPECTATIONS DIR: holds the traces of a data directory to the "expect" lines of EXPECTATIONS (programs/
 * expect.h) and to the laws of every trace. Of the lines of check_profile it knows
 *
 *   calls[@PID] NAME N, path[@PID] A>B>C N, open[@PID] NAME N, elapsed[@PID] NAME LOW HIGH
 *   KEY N, most KEY N, least KEY N    KEY: abandoned unmatched lost late stopped processes threads closed live
 *
 * and, of its own,
 *
 *   sequence TID HASH N    the thread's N enters and exits have this hash (expect_event in programs/sequence.h)
 *   kinds KIND N           events of a kind
 *   steps N                the functions called step by step, as programs/steps.c does, at least N of them
 *
 * Others are passed over: they are of what a trace does not have. Paths of forked processes are not checked, since they
 * begin in activations of their parents. Prints each miss; exit status 1 if there is one. */
#include "tests/support/trace_paths.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_paths *paths;
static int misses;
static bool allowed[8];
static const char *const zero_keys[] = {"abandoned", "unmatched", "lost", "late", "stopped"};

static __attribute__((format(printf, 1, 2))) void miss(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("MISS ");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    misses++;
}

static void check_key(const char *relation, const char *key, double wanted)
{
    double found;
    for (size_t i = 0; i < sizeof zero_keys / sizeof *zero_keys; i++)
        allowed[i] |= !strcmp(key, zero_keys[i]);
    if (trace_paths_value(paths, key, &found) &&
        ((!*relation && found != wanted) || (*relation == 'm' && found > wanted) ||
         (*relation == 'l' && found < wanted)))
        miss("%s %s %.0f, found %.0f", relation, key, wanted, found);
}

static void check_sequence(int tid, uint64_t hash, uint64_t count)
{
    for (size_t i = 0; i < paths->location_count; i++) {
        const struct trace_walk *l = &paths->locations[i];
        if (l->tid == tid && (l->hash != hash || l->enters_and_exits != count))
            miss("sequence of thread %d: %lu events of hash %lx, found %lu of %lx", tid, count, hash,
                 l->enters_and_exits, l->hash);
        if (l->tid == tid)
            return;
    }
    miss("sequence of thread %d: it has no trace", tid);
}

static void check_sum(const char *kind, int pid, const char *name, double low, double high)
{
    enum path_sum what = !strcmp(kind, "path")      ? PATH_CALLS
                         : !strcmp(kind, "open")    ? PATH_OPEN
                         : !strcmp(kind, "elapsed") ? PATH_ELAPSED
                                                    : PATH_NAMED;
    double found;
    if (trace_paths_sum(paths, what, pid, name, &found) && (found < low || found > high))
        miss("%s@%d %s %.3f to %.3f, found %.3f", kind, pid, name, low, high, found);
}

static void check_line(char *line)
{
    char kind[64], name[400];
    double a = 0, b = 0;
    int pid = 0;
    unsigned long hash, count;
    if (strncmp(line, "expect ", 7))
        return;
    line += 7;
    if (sscanf(line, "sequence %d %lx %lu", &pid, &hash, &count) == 3) {
        check_sequence(pid, hash, count);
    } else if (sscanf(line, "kinds %d %lf", &pid, &a) == 2) {
        if ((double)paths->kinds[pid & 255] != a)
            miss("kinds %d %.0f, found %lu", pid, a, paths->kinds[pid & 255]);
    } else if (sscanf(line, "steps %lu", &count) == 1) {
        if (paths->steps < count || paths->wrong_steps)
            miss("steps %lu, found %lu and then %lu other events", count, paths->steps, paths->wrong_steps);
    } else if (sscanf(line, "most %63s %lf", name, &a) == 2 || sscanf(line, "least %63s %lf", name, &a) == 2) {
        check_key(line[0] == 'm' ? "most" : "least", name, a);
    } else {
        int fields = sscanf(line, "%63s %399s %lf %lf", kind, name, &a, &b);
        char *at = strchr(kind, '@');
        if (at) {
            pid = atoi(at + 1);
            *at = 0;
        }
        if (fields == 2)
            check_key("", kind, atof(name));
        else if (fields == 4 && !strcmp(kind, "elapsed"))
            check_sum(kind, pid, name, a, b);
        else if (fields == 3 && strstr("calls path open", kind))
            check_sum(kind, pid, name, a, a);
    }
}

/* A call that was not recorded has an enter and an exit, unless a jump left it or it did not end. A thread that another
 * ended may have been between two looks. */
static void check_held(void)
{
    uint64_t unknown = 1536 * paths->location_count;
    if (paths->closed == paths->processes &&
        (paths->unrecorded > 2 * paths->held || paths->unrecorded + unknown < paths->held))
        miss("%lu enters and exits of %lu calls were not recorded", paths->unrecorded, paths->held);
}

int main(int argc, char **argv)
{
    char line[1000];
    if (argc != 3) {
        fprintf(stderr, "usage: check_trace EXPECTATIONS DIR\n");
        return 2;
    }
    FILE *f = fopen(argv[1], "r");
    if (!f) {
        perror(argv[1]);
        return 2;
    }
    paths = trace_paths_load(argv[2], miss);
    while (fgets(line, sizeof line, f))
        check_line(line);
    fclose(f);
    for (size_t i = 0; i < sizeof zero_keys / sizeof *zero_keys; i++)
        if (!allowed[i])
            check_key("", zero_keys[i], 0);
    check_held();
    return misses != 0;
}
