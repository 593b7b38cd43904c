#include "reporters/verify/verify_runs.h"

#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/filter/filter_functions.h"
#include "reporters/launch/record_directory.h"
#include "reporters/launch/run_launch.h"
#include "reporters/profile/data_directory.h"
#include "reporters/verify/stamp_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LAST_WORDS 400 /* bytes of a failed program's stderr that are shown */

static char *path_in(const struct verify_programs *programs, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", programs->scratch, name) < 0 ? NULL : path;
}

bool verify_programs_open(struct verify_programs *programs, const char *plain, const char *instrumented)
{
    *programs = (struct verify_programs){.plain = plain,
                                         .instrumented = instrumented,
                                         .stamp_library = stamp_library_path_find(),
                                         .library = record_libraries_find(),
                                         .scratch = scratch_dir_make()};
    char *stamps = programs->scratch ? path_in(programs, "stamps") : NULL;
    bool made = stamps && mkdir(stamps, 0700) == 0;
    free(stamps);
    if (!made)
        message_failure("verify: temporary directory: %s (set TMPDIR)", strerror(errno));
    else if (!programs->stamp_library)
        message_failure("libpcomp-stamp.so: is not where pcomp was installed (install pcomp again)");
    else
        return programs->library && record_preload_check(programs->stamp_library);
    return false;
}

void verify_programs_close(struct verify_programs *programs)
{
    scratch_dir_remove(programs->scratch);
    free(programs->stamp_library);
    free(programs->library);
    free(programs->plain_program);
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

/* The end of a file in one line; "" when there is nothing. */
static void last_words(const char *path, char words[LAST_WORDS + 1])
{
    FILE *file = fopen(path, "re");
    size_t size = 0;
    if (file) {
        if (fseek(file, -LAST_WORDS, SEEK_END) != 0)
            rewind(file);
        size = fread(words, 1, LAST_WORDS, file);
        fclose(file);
    }
    while (size && words[size - 1] == '\n')
        size--;
    words[size] = 0;
    for (char *p = words; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

static void say_failure(const char *what, const char *command, const struct run_result *run, const char *said)
{
    char words[LAST_WORDS + 1], how[64];
    last_words(said, words);
    if (run->exit_status > 128)
        snprintf(how, sizeof how, "was killed by signal %d", run->exit_status - 128);
    else
        snprintf(how, sizeof how, "ended with status %d", run->exit_status);
    if (*words)
        message_failure("verify: %s '%s': %s (its last words: %s)", what, command, how, words);
    else
        message_failure("verify: %s '%s': %s (run it by hand to see why)", what, command, how);
}

bool verify_run_command(const struct verify_programs *programs, const char *what, const char *shown,
                        const char *command, const char *output, char *const *set)
{
    static char shell[] = "sh", option[] = "-c", path[] = "/bin/sh";
    static char redirect[] = "exec \"$0\" -c \"$1\" </dev/null >\"$2\" 2>\"$3\"";
    char *said = path_in(programs, "stderr");
    char *const arguments[] = {shell, option, redirect, path, (char *)command, (char *)(output ? output : "/dev/null"),
                               said,  NULL};
    struct run_result run;
    if (!said) {
        message_no_memory("verify");
        return false;
    }
    bool started = run_launch(path, arguments, set, NULL, &run);
    if (!started)
        message_failure("verify: %s '%s': no process could be made: %s", what, shown, strerror(errno));
    else if (run.exec_errno)
        message_failure("verify: %s: %s", path, strerror(run.exec_errno));
    else if (run.exit_status)
        say_failure(what, shown, &run, said);
    free(said);
    return started && !run.exec_errno && !run.exit_status;
}

/* --- The plain program ------------------------------------------------------------------------------------------- */

char *verify_preload(const char *library)
{
    const char *old = getenv("LD_PRELOAD");
    char *all = NULL;
    return asprintf(&all, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0 ? NULL : all;
}

static bool plain_stamps(const struct verify_programs *programs, struct stamp_list *stamps)
{
    char *preload = verify_preload(programs->stamp_library), *files = path_in(programs, "stamps");
    char *set_preload = NULL, *set_stamps = NULL;
    *stamps = (struct stamp_list){NULL, 0};
    bool good = preload && files && asprintf(&set_preload, "LD_PRELOAD=%s", preload) >= 0 &&
                asprintf(&set_stamps, "PCOMP_STAMP=%s", files) >= 0;
    if (!good)
        message_no_memory("verify");
    char *const set[] = {set_preload, set_stamps, NULL};
    good = good && verify_run_command(programs, "--plain", programs->plain, programs->plain, NULL, set);
    good = stamp_list_take(stamps, files) && good;
    free(preload);
    free(files);
    free(set_preload);
    free(set_stamps);
    return good;
}

double verify_run_plain(const struct verify_programs *programs)
{
    struct stamp_list stamps;
    double took = NAN;
    if (plain_stamps(programs, &stamps)) {
        const struct stamp *stamp = stamp_of_program(&stamps, programs->plain_program);
        if (stamp)
            took = (double)(stamp->left - stamp->entered);
        else
            message_failure("verify: --plain '%s': %s did not run to its end this time (make every run the same)",
                            programs->plain, programs->plain_program);
    }
    stamp_list_free(&stamps);
    return took;
}

/* --- The instrumented program ------------------------------------------------------------------------------------ */

static bool has_profiles(const char *dir)
{
    struct data_directory data;
    char error[1024];
    if (!data_directory_open(dir, true, &data, error, sizeof error)) /* fetches what ended processes left in memory */
        return false;
    bool any = data.file_count > 0;
    data_directory_close(&data);
    return any;
}

/* Runs it into `directory`. */
static bool instrumented_run(const struct verify_programs *programs, const struct record_options *method,
                             const struct record_directory *directory)
{
    struct record_environment environment = {NULL, NULL, NULL, NULL};
    char *libraries = NULL, *stamps = NULL;
    bool good = asprintf(&libraries, "%s:%s", programs->stamp_library, programs->library) >= 0 &&
                asprintf(&stamps, "PCOMP_STAMP=%s/stamps", programs->scratch) >= 0;
    if (!good)
        message_no_memory("verify");
    good = good && record_environment_make(&environment, method, directory, libraries);
    char *const set[] = {environment.data, environment.options, environment.run_id, environment.preload, stamps, NULL};
    good = good &&
           verify_run_command(programs, "--instrumented", programs->instrumented, programs->instrumented, NULL, set);
    if (!has_profiles(directory->path) && good)
        good = message_failure("verify: --instrumented '%s': no instrumented function ran (build the program with "
                               "-finstrument-functions)",
                               programs->instrumented) == STATUS_DONE;
    record_environment_free(&environment);
    free(libraries);
    free(stamps);
    return good;
}

/* The profile, and the stamps of all processes. */
static struct call_tree *instrumented_tree(const struct verify_programs *programs, const struct record_options *method,
                                           struct stamp_list *stamps)
{
    struct record_directory directory;
    struct call_tree *tree = NULL;
    struct call_tree_options options = {.rank = -1, .model = -1, .want_lines = programs->want_lines};
    char error[1024] = "", *data = path_in(programs, "data"), *files = path_in(programs, "stamps");
    *stamps = (struct stamp_list){NULL, 0};
    if (!data || !files)
        message_no_memory("verify");
    else if (record_directory_create(&directory, data)) {
        bool good = instrumented_run(programs, method, &directory);
        good = stamp_list_take(stamps, files) && good;
        tree = good ? call_tree_load(data, &options, error, sizeof error) : NULL;
        if (good && !tree)
            message_failure("verify: %s", error);
        record_directory_discard(&directory);
        record_directory_free(&directory);
    }
    free(data);
    free(files);
    return tree;
}

struct call_tree *verify_run_instrumented(const struct verify_programs *programs, const struct record_options *method)
{
    struct stamp_list stamps;
    struct call_tree *tree = instrumented_tree(programs, method, &stamps);
    stamp_list_free(&stamps);
    return tree;
}

/* --- Which process is the program -------------------------------------------------------------------------------- */

static const char *main_program(const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main)
            return tree->processes[i].executable;
    return NULL;
}

static const struct stamp *plain_stamp(const struct stamp_list *plain, const struct stamp_list *instrumented,
                                       const struct call_tree *tree)
{
    for (size_t i = 0; i < plain->count; i++)
        if (!stamp_of_program(instrumented, plain->stamps[i].program))
            return &plain->stamps[i];
    const char *same = main_program(tree); /* one file both times, instrumented or not by other means */
    return same ? stamp_of_program(plain, same) : NULL;
}

bool verify_programs_warm(struct verify_programs *programs, const struct record_options *method)
{
    struct stamp_list plain = {NULL, 0}, instrumented;
    struct call_tree *tree = instrumented_tree(programs, method, &instrumented);
    bool good = tree && plain_stamps(programs, &plain);
    const struct stamp *stamp = good ? plain_stamp(&plain, &instrumented, tree) : NULL;
    if (good && !stamp)
        message_failure(
            "verify: --plain '%s': main's entry and end were not seen (is it linked statically, set-user-ID, "
            "or does it replace itself by exec?)",
            programs->plain);
    else if (stamp) {
        programs->plain_program = strdup(stamp->program);
        if (!programs->plain_program)
            message_no_memory("verify");
        else if (filter_is_instrumented(stamp->program))
            message_note("verify: --plain '%s': %s is instrumented, too (build it without -finstrument-functions)",
                         programs->plain, stamp->program);
    }
    stamp_list_free(&plain);
    stamp_list_free(&instrumented);
    call_tree_free(tree);
    return programs->plain_program != NULL;
}
