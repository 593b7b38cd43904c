#include "reporters/verify/sampled_truth.h"

#include "reporters/base/message.h"
#include "reporters/base/terminal.h"
#include "reporters/launch/run_launch.h"
#include "reporters/symbols/symbols.h"
#include "reporters/verify/perf_script.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FLOOR_WANTED     0.01 /* distance of the halves */
#define RUNS_MIN         4
#define SECONDS_MAX      120.0
#define PERIOD_MIN_NS    50021.0 /* prime: out of step with what the program does at round intervals */
#define SAMPLES_OF_A_RUN 20000.0 /* a longer run is sampled less often; each is 4.5 kB in a file */
#define SCOPES_MAX       32

/* perf attaches to the program when that stands before main: what a shell had loaded before it became the program would
 * mislead perf's unwinding. The program runs in the foreground, so that an interrupt ends it; perf ends with it. The
 * stack is unwound by perf script from a copy of its innermost part: one instrumented function must be in it. */
#define PERF_RECORD                                                                                                    \
    "cd \"$PCOMP_STAMP_GATE\" && rm -f first here go control ready && mkfifo here go control ready || exit\n"          \
    "exec 3<>here 4<>go 5<>control 6<>ready\n"                                                                         \
    "(exec 7<here 3>&-\n"                                                                                              \
    " read -r what program <&7 && [ \"$what\" = main ] || exit 1\n"                                                    \
    " (perf record -q --no-buildid --no-buildid-cache -o samples -e cpu-clock -c \"$PCOMP_PERIOD\""                    \
    " --call-graph dwarf,4096 -D -1 --control fifo:control,ready -p \"$program\"; echo \"ended $?\" >&6) &\n"          \
    " echo enable >&5\n"                                                                                               \
    " read -r what failure <&6\n"                                                                                      \
    " echo go >&4\n"                                                                                                   \
    " wait\n"                                                                                                          \
    " [ \"$what\" != ended ] || exit \"$failure\") &\n"                                                                \
    "sampler=$!\n"                                                                                                     \
    "(cd \"$PCOMP_DIRECTORY\" && LD_PRELOAD=$PCOMP_PRELOAD exec /bin/sh -c \"$PCOMP_PROGRAM\") 3>&- 4>&- 5>&- 6>&-\n"  \
    "status=$?\n"                                                                                                      \
    "echo end >&3\n"                                                                                                   \
    "wait $sampler || exit\n"                                                                                          \
    "exit $status"
/* Addresses are those of the process in newer ones, which know the field dsoff; in older ones offsets in the file. */
#define PERF_SCRIPT_READ "perf script -i \"$PCOMP_STAMP_GATE/samples\" --no-inline --max-stack 48 -F ip,dso"
#define PERF_SCRIPT      PERF_SCRIPT_READ ",dsoff 2>/dev/null || " PERF_SCRIPT_READ

struct module {
    char *path;
    struct symbols *symbols; /* NULL: nothing is known of it */
    struct module *next;
};

struct place { /* an address of samples; most are of many */
    const struct module *module;
    uint64_t offset;
    struct share_function *function; /* NULL: none that profiles know */
};

struct sampling {
    struct sampled_truth *truth;
    struct share_table *table;
    const char *program; /* whose symbols count even without debug information */
    struct module *modules;
    void *places; /* tree of tsearch */
    bool failed;  /* out of memory */
};

/* --- From a sample to a function --------------------------------------------------------------------------------- */

static struct module *module_of(struct sampling *sampling, const char *path)
{
    for (struct module *module = sampling->modules; module; module = module->next)
        if (!strcmp(module->path, path))
            return module;
    struct module *module = calloc(1, sizeof *module);
    char problem[1024];
    if (!module || !(module->path = strdup(path))) {
        free(module);
        sampling->failed = true;
        return NULL;
    }
    bool is_program = !strcmp(path, sampling->program);
    if (*path == '/')
        module->symbols = symbols_open(&(struct symbol_source){.path = path}, problem, sizeof problem);
    bool known = module->symbols && symbols_have_scopes(module->symbols);
    if (is_program)
        sampling->truth->inlines_known = known;
    if (module->symbols && !known && !is_program) { /* names of a system library may be names of the program, too */
        symbols_close(module->symbols);
        module->symbols = NULL;
    }
    module->next = sampling->modules;
    sampling->modules = module;
    return module;
}

static struct share_function *function_at(const struct sampling *sampling, const struct module *module, uint64_t offset)
{
    struct symbol_scope scopes[SCOPES_MAX];
    uint64_t address;
    size_t count = module->symbols && symbols_address(module->symbols, offset, &address)
                       ? symbols_scopes(module->symbols, address, scopes, SCOPES_MAX)
                       : 0;
    struct share_function *function = NULL;
    for (size_t i = count && !sampling->table->inlined ? count - 1 : 0; i < count && !function; i++)
        function = share_table_find(sampling->table, &scopes[i]);
    return function;
}

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->module != y->module)
        return (uintptr_t)x->module < (uintptr_t)y->module ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static struct share_function *function_of_frame(struct sampling *sampling, const struct perf_frame *frame)
{
    struct place like = {module_of(sampling, frame->module), frame->address, NULL};
    if (!like.module || !like.module->symbols)
        return NULL;
    struct place **known = tfind(&like, &sampling->places, place_order);
    if (known)
        return (*known)->function;
    struct place *place = malloc(sizeof *place);
    if (!place) {
        sampling->failed = true;
        return NULL;
    }
    *place = like;
    place->function = function_at(sampling, like.module, like.offset);
    if (!tsearch(place, &sampling->places, place_order)) {
        sampling->failed = true;
        free(place);
        return NULL;
    }
    return place->function;
}

static void count_sample(void *context, const struct perf_frame *frames, size_t count)
{
    struct sampling *sampling = context;
    struct share_function *function = NULL;
    for (size_t i = 0; i < count && !function; i++)
        function = function_of_frame(sampling, &frames[i]);
    if (function) {
        function->truth[sampling->truth->runs % SHARE_HALVES]++;
        sampling->truth->samples++;
    } else
        sampling->truth->outside++;
}

static void sampling_free(struct sampling *sampling)
{
    tdestroy(sampling->places, free);
    for (struct module *module = sampling->modules, *next; module; module = next) {
        next = module->next;
        symbols_close(module->symbols);
        free(module->path);
        free(module);
    }
}

/* --- perf -------------------------------------------------------------------------------------------------------- */

struct perf_setting {
    char *script;  /* path of what perf script writes */
    char *set[10]; /* the environment of the commands above, NULL-terminated */
};

static bool setting_add(struct perf_setting *setting, const char *key, const char *value)
{
    size_t at = 0;
    while (setting->set[at])
        at++;
    if (asprintf(&setting->set[at], "%s=%s", key, value) >= 0)
        return true;
    setting->set[at] = NULL;
    return false;
}

/* To be freed in any case. False after a message. */
static bool perf_setting_make(struct perf_setting *setting, const struct verify_programs *programs, double period)
{
    char period_text[32], *directory = getcwd(NULL, 0), *preload = verify_preload(programs->stamp_library);
    snprintf(period_text, sizeof period_text, "%.0f", period);
    *setting = (struct perf_setting){NULL, {NULL}};
    bool good = directory && preload && asprintf(&setting->script, "%s/script", programs->scratch) >= 0 &&
                setting_add(setting, "PCOMP_STAMP_GATE", programs->scratch) &&
                setting_add(setting, "PCOMP_STAMP_PROGRAM", programs->plain_program) &&
                setting_add(setting, "PCOMP_PRELOAD", preload) && setting_add(setting, "PCOMP_DIRECTORY", directory) &&
                setting_add(setting, "PCOMP_PROGRAM", programs->plain) &&
                setting_add(setting, "PCOMP_PERIOD", period_text) &&
                setting_add(setting, "DEBUGINFOD_URLS", ""); /* nothing is fetched from a network */
    free(directory);
    free(preload);
    if (!good)
        message_no_memory("verify");
    return good;
}

static void perf_setting_free(struct perf_setting *setting)
{
    for (size_t i = 0; setting->set[i]; i++)
        free(setting->set[i]);
    free(setting->script);
}

bool sampled_truth_check(const struct verify_programs *programs)
{
    static char command[] = "perf record -q -o \"$PCOMP_SAMPLES\" -e cpu-clock -- true";
    char *perf = run_find("perf"), *samples = NULL;
    if (!perf)
        message_failure("verify: --truth sampled: perf: not found (apt-get install linux-perf)");
    else if (asprintf(&samples, "PCOMP_SAMPLES=%s/samples", programs->scratch) < 0)
        message_no_memory("verify");
    char *const set[] = {samples, NULL};
    bool good = perf && samples && verify_run_command(programs, "--truth sampled", "perf record", command, NULL, set);
    free(samples);
    free(perf);
    return good;
}

/* One run of the program, and its samples counted. */
static bool sample_run(struct sampling *sampling, const struct verify_programs *programs,
                       const struct perf_setting *setting)
{
    FILE *script = NULL;
    bool good =
        verify_run_command(programs, "--truth sampled", "perf record", PERF_RECORD, NULL, setting->set) &&
        verify_run_command(programs, "--truth sampled", "perf script", PERF_SCRIPT, setting->script, setting->set);
    if (good && !(script = fopen(setting->script, "re")))
        good = message_failure("verify: %s: %s", setting->script, strerror(errno)) == STATUS_DONE;
    if (good && (!perf_script_read(script, count_sample, sampling) || sampling->failed))
        good = message_no_memory("verify: --truth sampled") == STATUS_DONE;
    if (script)
        fclose(script);
    sampling->truth->runs++;
    return good;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

bool sampled_truth_take(struct sampled_truth *truth, const struct verify_programs *programs, double ns,
                        struct share_table *table)
{
    struct sampling sampling = {.truth = truth, .table = table, .program = programs->plain_program};
    struct perf_setting setting;
    struct share_distances distances;
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    *truth = (struct sampled_truth){0};
    bool good = perf_setting_make(&setting, programs, fmax(PERIOD_MIN_NS, ns / SAMPLES_OF_A_RUN));
    while (good && !truth->precise && (truth->runs < RUNS_MIN || seconds_since(&start) < SECONDS_MAX)) {
        terminal_bar("verify: sampling, seconds at most", (size_t)seconds_since(&start), (size_t)SECONDS_MAX);
        good = sample_run(&sampling, programs, &setting);
        if (good && truth->runs >= RUNS_MIN && truth->runs % SHARE_HALVES == 0) {
            good = share_table_distances(table, &distances);
            truth->precise = good && distances.floor <= FLOOR_WANTED;
        }
    }
    terminal_bar("verify: sampling", 1, 1);
    if (good && !truth->samples)
        good = message_failure("verify: --plain '%s': none of %llu samples is in a function that the profile knows "
                               "(are both programs built from the same sources, with symbols?)",
                               programs->plain, (unsigned long long)truth->outside) == STATUS_DONE;
    perf_setting_free(&setting);
    sampling_free(&sampling);
    return good;
}
