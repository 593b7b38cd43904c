#include "reporters/predict/predict_start.h"

#include "reporters/base/emitter.h"
#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"
#include "reporters/filter/filter_file.h"
#include "reporters/launch/record_environment.h"
#include "reporters/launch/run_launch.h"
#include "reporters/profile/data_directory.h"
#include "reporters/tree/cost_sums.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_OWN_NS 100e6
#define LOOK_NS      10000000L

struct outlook {       /* what the first 100 ms say; sent through a pipe */
    double own;        /* ns that were seen */
    double share, max; /* of all that is paid a call: in all, and of the costliest thread */
    double once;       /* ns: start-up, first calls so far */
};

/* --- While it runs ------------------------------------------------------------------------------------------------ */

static bool is_written(const char *dir)
{
    struct data_directory data;
    char error[1024];
    bool live = false;
    if (!data_directory_open(dir, false, &data, error, sizeof error))
        return false;
    for (size_t i = 0; i < data.file_count; i++)
        live |= data.files[i].status == DATA_LIVE;
    data_directory_close(&data);
    return live;
}

static struct outlook outlook_of(const struct cost_sums *sums, size_t threads)
{
    struct outlook outlook = {.own = sums->all.own};
    double paid = 0;
    for (size_t t = 0; t < threads; t++) {
        const struct cost_part *part = &sums->threads[t];
        double once = part->cost.of[PCOMP_COST_STARTUP] + part->cost.of[PCOMP_COST_NEW_PATHS];
        outlook.once += once;
        paid += part->total - once;
        if (part->own > 0)
            outlook.max = fmax(outlook.max, (part->total - once) / part->own);
    }
    outlook.share = pcomp_cost_share(paid, outlook.own);
    return outlook;
}

/* True when some thread has seen enough of the program. */
static bool look(const char *dir, struct outlook *outlook)
{
    struct call_tree_options options = {.rank = -1, .model = -1, .want_costs = true};
    char error[1024];
    struct cost_sums sums;
    struct call_tree *tree = call_tree_load(dir, &options, error, sizeof error);
    bool enough = false;
    if (tree && cost_sums_make(&sums, tree)) {
        for (size_t t = 0; t < tree->thread_count; t++)
            enough |= sums.threads[t].own >= START_OWN_NS;
        if (enough)
            *outlook = outlook_of(&sums, tree->thread_count);
        cost_sums_free(&sums);
    }
    call_tree_free(tree);
    return enough;
}

static void say_outlook(const struct outlook *outlook, double budget)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    message_note("predicted after %s of the program's own time: measuring costs %s of it, and %s once%s",
                 text_time(a, outlook->own), text_percent(b, outlook->share), text_time(c, outlook->once),
                 budget >= 0 && outlook->max > budget ? ", more than the budget" : "");
}

/* A process of its own: a look at the profile must not hold up the one that waits for the program. */
static void watch(const struct predict_start *start, int result)
{
    struct outlook outlook;
    const struct timespec pause = {0, LOOK_NS}, own = {0, (long)START_OWN_NS};
    signal(SIGINT, SIG_IGN); /* the program decides what becomes of it */
    signal(SIGQUIT, SIG_IGN);
    while (!is_written(start->data))
        nanosleep(&pause, NULL);
    nanosleep(&own, NULL); /* it cannot have done more than the time that has passed */
    while (!look(start->data, &outlook))
        nanosleep(&pause, NULL);
    say_outlook(&outlook, start->budget);
    if (write(result, &outlook, sizeof outlook) != (ssize_t)sizeof outlook)
        _exit(STATUS_BAD);
    _exit(STATUS_DONE);
}

/* --- Afterwards --------------------------------------------------------------------------------------------------- */

static void emit_pair(struct emitter *emitter, const char *name, double predicted, double observed, double own)
{
    char key[64];
    emitter_row(emitter);
    emit_name(emitter, name);
    emit_time(emitter, predicted);
    emit_share(emitter, pcomp_cost_share(predicted, own));
    emit_time(emitter, observed);
    emit_share(emitter, pcomp_cost_share(observed, own));
    emit_share(emitter, pcomp_cost_share(predicted - observed, own));
    snprintf(key, sizeof key, "%s", name);
    emit_name(emitter, key);
    emitter_row_end(emitter);
}

static void emit_result(struct emitter *emitter, const struct predict_start *start, const struct outlook *outlook,
                        const struct cost_sums *sums)
{
    static const struct emit_column columns[] = {
        {"kind", NULL, NULL, EMIT_NAME, 0},
        {"predicted", "predicted", "time", EMIT_TIME, 0},
        {"predicted_share", "predicted", "of own", EMIT_SHARE, 0},
        {"observed", "observed", "time", EMIT_TIME, 0},
        {"observed_share", "observed", "of own", EMIT_SHARE, 0},
        {"difference_share", NULL, "difference", EMIT_SHARE, 0},
        {NULL, NULL, "cost", EMIT_NAME, 0},
    };
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    double own = sums->all.own, calls = outlook->share * own;
    double once = sums->all.cost.of[PCOMP_COST_STARTUP] + sums->all.cost.of[PCOMP_COST_EXIT] +
                  sums->all.cost.of[PCOMP_COST_NEW_PATHS];
    emitter_field_text(emitter, "from", "start");
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_text(emitter, "dir", start->data);
    emitter_field_real(emitter, "seen", outlook->own);
    emitter_field_real(emitter, "own", own);
    if (start->budget >= 0) {
        emitter_field_real(emitter, "budget|percent", 100 * start->budget);
        emitter_field_flag(emitter, "budget|fits", !(outlook->max > start->budget));
    }
    emitter_text(emitter, "%s: predicted after %s of the program's own time of %s", start->data,
                 text_time(a, outlook->own), text_time(b, own));
    emitter_text(emitter, "%s", "");
    emitter_table(emitter, "costs", columns, sizeof columns / sizeof *columns, true);
    emit_pair(emitter, "calls", calls, sums->all.total - once, own);
    emit_pair(emitter, "once", outlook->once, once, own);
    emit_pair(emitter, "all", calls + outlook->once, sums->all.total, own);
    emitter_table_end(emitter);
}

static int write_result(const struct predict_start *start, const struct outlook *outlook, const struct call_tree *tree)
{
    struct cost_sums sums;
    struct output_file file = {.stream = stderr};
    if (!cost_sums_make(&sums, tree))
        return message_no_memory("predict");
    int status = STATUS_BAD;
    if (!start->output || output_file_open(&file, start->output)) {
        enum emit_format format = start->output ? (enum emit_format)start->format : EMIT_TEXT;
        struct emitter *emitter = emitter_open(format, file.stream, "pcomp-predict/1");
        if (emitter) {
            emit_result(emitter, start, outlook, &sums);
            status = emitter_close(emitter);
        } else
            message_no_memory("predict");
        if (start->output && !output_file_close(&file, status == STATUS_DONE))
            status = STATUS_BAD;
    }
    cost_sums_free(&sums);
    return status;
}

static int after_run(const struct predict_start *start, const struct outlook *outlook, const char *name)
{
    struct call_tree_options options = {.rank = -1, .model = -1, .want_costs = true};
    char error[1024] = "", line[COST_LINE];
    struct call_tree *tree = call_tree_load(start->data, &options, error, sizeof error);
    if (!tree)
        return message_failure("%s: left no profile: %s", name, error);
    int status = STATUS_BAD;
    struct cost_sums sums;
    if (outlook->own > 0) {
        status = write_result(start, outlook, tree);
    } else if (cost_sums_make(&sums, tree)) {
        status = message_failure("%s: ended before 100 ms of its own time: nothing was predicted; %s", name,
                                 cost_sums_line(&sums, line));
        cost_sums_free(&sums);
    }
    call_tree_free(tree);
    if (status == STATUS_DONE && start->budget >= 0 && outlook->max > start->budget)
        status = STATUS_BAD;
    return status;
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

static bool run_watched(const struct predict_start *start, const char *program, char **argv, char *const *set,
                        struct outlook *outlook)
{
    int ends[2];
    struct run_result run;
    if (pipe(ends) != 0) {
        message_failure("predict: a pipe: %s", strerror(errno));
        return false;
    }
    pid_t watcher = fork();
    if (watcher == 0) {
        close(ends[0]);
        watch(start, ends[1]);
    }
    close(ends[1]);
    bool good = watcher > 0 && run_launch(program, argv, set, NULL, &run);
    if (!good)
        message_failure("%s: no process could be made: %s", argv[0], strerror(errno));
    else if (run.exec_errno)
        message_failure("%s: cannot be started: %s", argv[0], strerror(run.exec_errno));
    else if (run.exit_status)
        message_note("%s: ended with status %d", argv[0], run.exit_status);
    if (watcher > 0) {
        kill(watcher, SIGKILL);
        waitpid(watcher, NULL, 0);
    }
    if (read(ends[0], outlook, sizeof *outlook) != (ssize_t)sizeof *outlook)
        *outlook = (struct outlook){0};
    close(ends[0]);
    return good && !run.exec_errno;
}

static int run_measured(const struct predict_start *start, const struct predict_request *request, char **argv,
                        const char *program, const char *library)
{
    char budget[32];
    struct record_options options = {.dir = start->data, RECORD_DEFAULTS};
    options.mode = request->mode;
    struct record_directory directory;
    struct record_environment environment = {NULL, NULL, NULL, NULL};
    struct outlook outlook;
    size_t measured, all;
    int status = STATUS_BAD;
    snprintf(budget, sizeof budget, "%.3f", fmin(100 * request->limit, 100));
    if (request->mode == PCOMP_PREDICT_AUTO && start->budget >= 0.00001)
        options.budget = budget;
    options.only = *request->only;
    options.skip = *request->skip;
    if (!record_directory_create(&directory, options.dir)) {
        record_directory_free(&directory);
        return STATUS_BAD;
    }
    bool filtered = options.only.count || options.skip.count;
    if (record_environment_make(&environment, &options, &directory, library) &&
        (!filtered ||
         filter_file_write(directory.path, program, argv, &options.only, &options.skip, &measured, &all))) {
        record_directory_ready(&directory);
        char *const set[] = {environment.data, environment.options, environment.run_id, environment.preload, NULL};
        if (run_watched(start, program, argv, set, &outlook))
            status = after_run(start, &outlook, argv[0]);
    }
    record_environment_free(&environment);
    record_directory_free(&directory);
    return status;
}

int predict_from_start(const struct predict_start *start, const struct predict_request *request, char **argv)
{
    char *program = run_find(argv[0]), *library = program ? record_libraries_find() : NULL;
    int status = STATUS_BAD;
    if (!program)
        message_failure("%s: %s", argv[0], run_find_problem(argv[0], errno));
    else if (library)
        status = run_measured(start, request, argv, program, library);
    free(library);
    free(program);
    return status;
}
