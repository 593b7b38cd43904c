/* Kills a profiled program at random times and holds its profile against what the program knew about itself.
 *
 *   kill_runner KILLS PCOMP TARGET DIRECTORY [MILLISECONDS]
 *
 * A run lasts 40 ms, or MILLISECONDS (of a trace), and is killed at a random time in its first one and a half times
 * that: before main, in the calibration of the start, in any hook, while the profile is closed, or not at all. Data
 * directories of runs that disagree are kept. Prints totals as "name value" lines; exit status 1 when any run
 * disagrees. */
#define _GNU_SOURCE
#include "bench/programs/bench_clock.h"
#include "bench/programs/kill_record.h"

#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_NS = 1000000 };

static int run_ms = 40;
static bool timed = true; /* not of traces: their times lack the flushes, which are no time of the program */

static const char *const function_names[KILL_FUNCTIONS] = {"outer", "middle", "leaf_a", "leaf_b"};

static struct totals {
    unsigned long killed, finished, before_main, no_profile;
    unsigned long report_failed, wrong_count, lost_calls, wrong_time;
    uint64_t calls;        /* completed in all runs */
    double worst_alive_us; /* main's inclusive against the last sign of life */
    double worst_kill_us;  /* and against the kill, where the target had the processor until then */
    unsigned long kill_compared;
} totals;

struct run {
    const char *pcomp, *target;
    char directory[4096];
    struct kill_record *record;
    int record_fd;
    int64_t kill_ns, killed_ns; /* before and after kill(2) */
    bool was_killed;
};

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static uint64_t random_below(uint64_t limit)
{
    static uint64_t state;
    if (!state)
        state = (uint64_t)bench_clock_ns(CLOCK_REALTIME) | 1;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % limit;
}

static bool run_target(struct run *run)
{
    char descriptor[16], milliseconds[16];
    int status;
    memset(run->record, 0, sizeof *run->record);
    snprintf(descriptor, sizeof descriptor, "%d", run->record_fd);
    snprintf(milliseconds, sizeof milliseconds, "%d", run_ms);
    setenv("PCOMP_DATA", run->directory, 1);
    pid_t pid = fork();
    if (pid == 0) {
        execl(run->target, run->target, descriptor, milliseconds, (char *)NULL);
        _exit(127);
    }
    if (pid < 0)
        return false;
    usleep((useconds_t)random_below((uint64_t)run_ms * 1500));
    run->kill_ns = bench_clock_ns(CLOCK_MONOTONIC);
    kill(pid, SIGKILL);
    run->killed_ns = bench_clock_ns(CLOCK_MONOTONIC);
    if (waitpid(pid, &status, 0) != pid)
        return false;
    run->was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return run->was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Returns the parsed report, or NULL; *refused: the command itself said that there is nothing to report. */
static json_t *read_report(const struct run *run, bool *refused)
{
    char command[8300];
    json_error_t error;
    snprintf(command, sizeof command, "'%s' report '%s' --view flat --format json", run->pcomp, run->directory);
    FILE *output = popen(command, "r");
    if (!output)
        return NULL;
    json_t *report = json_loadf(output, JSON_DISABLE_EOF_CHECK, &error);
    int status = pclose(output);
    *refused = WIFEXITED(status) && WEXITSTATUS(status) == 1;
    if (status && report) {
        json_decref(report);
        report = NULL;
    }
    return report;
}

static const json_t *find_function(const json_t *report, const char *name)
{
    size_t index;
    const json_t *function;
    json_array_foreach(json_object_get(report, "functions"), index, function)
    {
        const char *found = json_string_value(json_object_get(function, "name"));
        if (found && !strcmp(found, name))
            return function;
    }
    return NULL;
}

/* The counter is raised after the exit hook: one call more may be complete, and one may be open. */
static bool check_counts(const struct run *run, const json_t *report)
{
    bool right = true;
    for (int i = 0; i < KILL_FUNCTIONS; i++) {
        const json_t *function = find_function(report, function_names[i]);
        int64_t known = (int64_t)run->record->completed[i];
        totals.calls += (uint64_t)known;
        int64_t calls = function ? (int64_t)json_number_value(json_object_get(function, "N")) : 0;
        int64_t open = function ? (int64_t)json_number_value(json_object_get(function, "open")) : 0;
        if (calls - open < known)
            totals.lost_calls += (unsigned long)(known - (calls - open));
        if (calls - open < known || calls - open > known + run->was_killed || open < 0 || open > 1) {
            fprintf(stderr, "kill_runner: %s: %s: N %lld, open %lld, the program completed %lld\n", run->directory,
                    function_names[i], (long long)calls, (long long)open, (long long)known);
            right = false;
        }
    }
    return right;
}

static bool check_time(const struct run *run, const json_t *report)
{
    const json_t *function = find_function(report, "main");
    double inclusive = json_number_value(json_object_get(json_object_get(function, "raw"), "inclusive"));
    double alive = inclusive - (double)(run->record->alive_ns - run->record->started_ns);
    if (run->was_killed && run->kill_ns - run->record->alive_ns < LIMIT_NS) {
        double early = (double)(run->kill_ns - run->record->started_ns) - inclusive;
        double late = inclusive - (double)(run->killed_ns - run->record->started_ns);
        double kill = fmax(fmax(early, late), 0) / 1e3;
        totals.kill_compared++;
        if (kill > totals.worst_kill_us)
            totals.worst_kill_us = kill;
    }
    if (fabs(alive) / 1e3 > totals.worst_alive_us)
        totals.worst_alive_us = fabs(alive) / 1e3;
    if (function && fabs(alive) <= LIMIT_NS)
        return true;
    fprintf(stderr, "kill_runner: %s: main's inclusive time is %.3f ms, the program lived for %.3f ms\n",
            run->directory, inclusive / 1e6, (double)(run->record->alive_ns - run->record->started_ns) / 1e6);
    return false;
}

/* Whether the profile agrees with the program. A run that never reached main's first statement may have no profile. */
static bool check_run(const struct run *run)
{
    bool reached = run->record->started_ns != 0, right = true;
    struct stat status;
    totals.killed += run->was_killed;
    totals.finished += !run->was_killed;
    totals.before_main += !reached;
    if (!reached && stat(run->directory, &status))
        return true;
    bool refused = false;
    json_t *report = read_report(run, &refused);
    if (!report && refused && !reached) {
        totals.no_profile++;
        return true;
    }
    if (!report) {
        totals.report_failed++;
        fprintf(stderr, "kill_runner: %s: pcomp report failed (%s main)\n", run->directory, reached ? "in" : "before");
        return false;
    }
    if (reached) {
        right = check_counts(run, report);
        totals.wrong_count += !right;
        bool in_time = (!timed || check_time(run, report));
        totals.wrong_time += !in_time;
        right = right && in_time;
    }
    json_decref(report);
    return right;
}

int main(int argc, char **argv)
{
    if (argc > 5) {
        run_ms = atoi(argv[5]);
        timed = false;
    }
    if (argc < 5 || run_ms < 1) {
        fprintf(stderr, "usage: kill_runner KILLS PCOMP TARGET DIRECTORY [MILLISECONDS]\n");
        return 2;
    }
    unsigned long kills = strtoul(argv[1], NULL, 10);
    struct run run = {.pcomp = argv[2], .target = argv[3]};
    run.record_fd = memfd_create("kill_record", 0);
    if (run.record_fd < 0 || ftruncate(run.record_fd, sizeof *run.record)) {
        perror("kill_runner");
        return 1;
    }
    run.record = mmap(NULL, sizeof *run.record, PROT_READ | PROT_WRITE, MAP_SHARED, run.record_fd, 0);
    if (run.record == MAP_FAILED) {
        perror("kill_runner");
        return 1;
    }
    unsigned long wrong = 0;
    for (unsigned long i = 0; i < kills; i++) {
        snprintf(run.directory, sizeof run.directory, "%s/kill-%lu", argv[4], i);
        nftw(run.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        if (!run_target(&run)) {
            fprintf(stderr, "kill_runner: %s: could not be run\n", run.target);
            return 1;
        }
        if (check_run(&run))
            nftw(run.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        else
            wrong++;
    }
    printf("killed %lu\nfinished %lu\nbefore_main %lu\nno_profile %lu\nreport_failed %lu\nwrong_count %lu\nlost_calls "
           "%lu\n",
           totals.killed, totals.finished, totals.before_main, totals.no_profile, totals.report_failed,
           totals.wrong_count, totals.lost_calls);
    printf("calls %llu\n", (unsigned long long)totals.calls);
    printf("wrong_time %lu\nworst_alive_us %.1f\nkill_compared %lu\nworst_kill_us %.1f\n", totals.wrong_time,
           totals.worst_alive_us, totals.kill_compared, totals.worst_kill_us);
    return wrong != 0;
}
