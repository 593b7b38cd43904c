#include "reporters/record/record_repeat.h"

#include "compensation/estimate/run_sets.h"
#include "reporters/base/message.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"
#include "reporters/launch/record_directory.h"
#include "reporters/launch/record_job.h"
#include "reporters/profile/run_set.h"
#include "reporters/tree/call_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHELL_SIGNALS 128 /* exit statuses above are those of a shell for signals */

int record_check_repeat(uint64_t repeats)
{
    unsigned char id[16];
    int rank;
    if (repeats == RECORD_ONCE)
        return STATUS_DONE;
    if (!repeats || repeats > RUN_SET_MAX)
        return message_misuse("record: --repeat %llu: too %s runs (1 to %d)", (unsigned long long)repeats,
                              repeats ? "many" : "few", RUN_SET_MAX);
    if (record_job_find(id, &rank))
        return message_misuse("record: --repeat: the processes of an MPI job run once "
                              "(repeat the job: pcomp record --repeat N -- mpirun ...)");
    return STATUS_DONE;
}

/* What one run took, unmeasured: time on the processor and waiting of its main thread, for what other programs took of
 * the processor is none of its own. Without a profile of times: the clock's. */
static struct pcomp_run time_of_run(const char *dir, const struct record_options *record, const struct recorded *run)
{
    struct call_tree_options options = {.rank = -1, .model = -1, .of_set = true};
    struct pcomp_run time = {.value = run->run.seconds * 1e9};
    char error[1024];
    struct call_tree *tree = record->trace ? NULL : call_tree_load(dir, &options, error, sizeof error);
    if (tree) {
        time.value = tree->total.compensated - (tree->knows_waiting ? tree->total.ready : 0);
        time.uncertainty = tree->total.uncertainty;
        time.calls = (double)tree->total.calls;
    }
    call_tree_free(tree);
    return time;
}

static const struct pcomp_run *sorted_runs; /* of qsort's comparison */

static int by_time(const void *a, const void *b)
{
    double x = sorted_runs[*(const unsigned *)a].value, y = sorted_runs[*(const unsigned *)b].value;
    return (x > y) - (x < y);
}

/* Number, from 1, of the run with the median time (the lower of two). 0: out of memory. */
static unsigned middle_of(const struct pcomp_run *times, size_t count)
{
    unsigned *order = calloc(count + 1, sizeof *order), middle = 0;
    for (size_t i = 0; order && i < count; i++)
        order[i] = (unsigned)i;
    sorted_runs = times;
    if (order && count) {
        qsort(order, count, sizeof *order, by_time);
        middle = order[(count - 1) / 2] + 1;
    }
    free(order);
    return middle;
}

static void say_set(const char *dir, const struct pcomp_run *times, size_t count)
{
    struct pcomp_run_set set = pcomp_run_set_of(times, count);
    char time[TEXT_NUMBER], half[TEXT_NUMBER], scatter[TEXT_NUMBER];
    if (set.runs > 1)
        message_note("%zu runs recorded in %s, %s ± %s each without measurement (they scatter by %s): pcomp report %s, "
                     "pcomp diff %s OTHER",
                     set.runs, dir, text_time(time, set.mean), text_uncertainty(half, set.uncertainty),
                     text_percent(scatter, set.mean > 0 ? set.scatter / set.mean : NAN), dir, dir);
    else
        message_note("%zu run%s recorded in %s: pcomp report %s", set.runs, set.runs == 1 ? "" : "s", dir, dir);
}

/* Where each run is to read the same, a file can be read again; of a pipe there is no second time. */
static off_t input_begin(void)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0)
        return -1;
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        message_note("standard input is a pipe: what the first run reads of it, the others do not get (give a file)");
    return S_ISREG(status.st_mode) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
}

static bool is_end(int status, const struct recorded *recorded)
{
    return !recorded->any || recorded->run.signal || recorded->run.exec_errno || status > SHELL_SIGNALS;
}

/* The runs, into times; *count of them left a profile. */
static int run_all(const struct record_options *options, const struct operands *operands,
                   const struct record_program *tools, const char *path, size_t repeats, struct pcomp_run *times,
                   size_t *count)
{
    struct record_program silent = *tools;
    off_t begin = input_begin();
    int first = STATUS_DONE;
    silent.silent = true;
    for (*count = 0; *count < repeats;) {
        struct recorded recorded;
        char *dir = run_set_path(path, (unsigned)*count + 1);
        if (!dir)
            return message_no_memory("record");
        if (!options->quiet)
            terminal_bar("running", *count, repeats);
        if (begin >= 0 && lseek(STDIN_FILENO, begin, SEEK_SET) < 0)
            begin = -1;
        int status = record_one(options, operands, &silent, dir, &recorded);
        if (recorded.any)
            times[(*count)++] = time_of_run(dir, options, &recorded);
        free(dir);
        first = first ? first : status;
        if (is_end(status, &recorded))
            break;
    }
    if (!options->quiet)
        terminal_bar("running", repeats, repeats);
    return first;
}

int record_repeat(const struct record_options *options, const struct operands *operands,
                  const struct record_program *tools, uint64_t repeats)
{
    struct record_directory directory;
    struct pcomp_run *times = calloc(repeats, sizeof *times);
    size_t count = 0;
    int status = STATUS_DONE;
    if (!times)
        return message_no_memory("record");
    if (!record_directory_create(&directory, options->dir)) {
        free(times);
        return STATUS_BAD;
    }
    record_directory_ready(&directory);
    if (!run_set_write(directory.path, "runs", (unsigned)repeats)) {
        status =
            message_failure("%s: cannot be written: %s (give another place with -o)", options->dir, strerror(errno));
        record_directory_discard(&directory);
    } else {
        status = run_all(options, operands, tools, directory.path, repeats, times, &count);
        unsigned middle = middle_of(times, count);
        if (!count)
            record_directory_discard(&directory);
        else if (!middle || !run_set_write(directory.path, "middle", middle))
            message_note("%s: which run is in the middle could not be written: %s", options->dir, strerror(errno));
        if (count && !options->quiet)
            say_set(options->dir, times, count);
    }
    record_directory_free(&directory);
    free(times);
    return status;
}
