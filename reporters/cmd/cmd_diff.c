/* pcomp diff: two runs, or two sets of runs, function by function. */
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/diff/diff_pair.h"
#include "reporters/diff/diff_sets.h"
#include "reporters/profile/run_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int diff_pair(const char *const dirs[2], const struct load_options *load, const struct diff_options *options)
{
    struct call_tree *trees[2] = {NULL, NULL};
    int status = STATUS_DONE;
    for (int i = 0; i < 2; i++) {
        trees[i] = report_load("diff", dirs[i], load, true, &status);
        if (!trees[i])
            break;
    }
    if (trees[1])
        status = diff_pair_write(trees, dirs, options);
    call_tree_free(trees[0]);
    call_tree_free(trees[1]);
    return status;
}

/* The runs that the texts name, each a data directory or a set of them: malloc'ed, *count of them. NULL after a
 * message. */
static char **diff_runs(const struct option_list *names, size_t *count)
{
    char **all = calloc(1, sizeof *all);
    *count = 0;
    for (size_t i = 0; all && i < names->count; i++) {
        struct run_set set = {0};
        size_t more = 1;
        bool is_set = run_set_read(names->texts[i], &set);
        char **list = is_set ? run_set_list(names->texts[i], &set, &more) : calloc(1, sizeof *list);
        if (list && !is_set)
            list[0] = strdup(names->texts[i]);
        char **grown = list && (is_set || list[0]) ? reallocarray(all, *count + more + 1, sizeof *all) : NULL;
        if (!grown) {
            run_set_list_free(list, list && (is_set || list[0]) ? more : 0);
            run_set_list_free(all, *count);
            message_no_memory("diff");
            return NULL;
        }
        all = grown;
        memcpy(all + *count, list, more * sizeof *list);
        *count += more;
        free(list);
    }
    if (all && !*count) {
        message_failure("%s: no run of the set is there (record it again)", names->texts[0]);
        free(all);
        return NULL;
    }
    return all;
}

static int diff_sets(const struct option_list sides[2], struct load_options *load, const struct diff_options *options)
{
    char **dirs[2] = {NULL, NULL}, *label[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    int status = STATUS_BAD;
    for (int i = 0; i < 2; i++)
        if ((i && !dirs[0]) || !(dirs[i] = diff_runs(&sides[i], &counts[i])) ||
            asprintf(&label[i], "%s%s", sides[i].texts[0], sides[i].count > 1 ? " ..." : "") < 0)
            label[i] = NULL;
    load->of_set = counts[0] + counts[1] > 2; /* of one run each, only they themselves tell by how much they differ */
    if (label[0] && label[1]) {
        struct set_comparison *comparison = set_comparison_make(
            (char *const *const[]){dirs[0], dirs[1]}, counts, (const char *const[]){label[0], label[1]}, load, &status);
        if (comparison)
            status = diff_sets_write(comparison, options);
        set_comparison_free(comparison);
    }
    for (int i = 0; i < 2; i++) {
        run_set_list_free(dirs[i], counts[i]);
        free(label[i]);
    }
    return status;
}

/* Two directories without the options are two runs, unless one of them is a set. */
static int diff_start(struct option_list sides[2], const struct operands *operands, struct load_options *load,
                      const struct diff_options *options)
{
    bool named = sides[0].count || sides[1].count, set = false;
    if (named && operands->count)
        return message_misuse("diff: %s: give all runs with --before and --after, or two directories without",
                              operands->texts[0]);
    if (named && (!sides[0].count || !sides[1].count))
        return message_misuse("diff: lacks %s (give the runs of both sides)", sides[0].count ? "--after" : "--before");
    if (!named && operands->count != 2)
        return message_misuse("diff: lacks two data directories (usage: pcomp diff DIR1 DIR2, or --before A... "
                              "--after B...)");
    if (named)
        return diff_sets(sides, load, options);
    const char *dirs[] = {operands->texts[0], operands->texts[1]};
    for (int i = 0; i < 2; i++)
        set = set || run_set_read(dirs[i], &(struct run_set){0});
    if (!set)
        return diff_pair(dirs, load, options);
    return diff_sets((const struct option_list[]){{&dirs[0], 1}, {&dirs[1], 1}}, load, options);
}

static struct diff_options given = {.limit = UINT64_MAX, .fail_above = -1};
static struct option_list sides_given[2];
static struct load_options part = LOAD_OPTIONS;
static const struct option_spec specs[] = {
    {"--before", 0, OPTION_MANY, "DIR...", "the runs to compare with: data directories, or sets of record --repeat",
     &sides_given[0], NULL},
    {"--after", 0, OPTION_MANY, "DIR...", "the runs to compare", &sides_given[1], NULL},
    {"--fail-above", 0, OPTION_NUMBER, "PCT",
     "exit status 1 if the total, or a function, grew by more than PCT % of the total", &given.fail_above, NULL},
    LIMIT_SPEC(&given.limit),
    LOAD_OPTION_SPECS(part),
    {"--format", 0, OPTION_CHOICE, "NAME", "text (default), json, csv, markdown or github", &given.format,
     DIFF_FORMATS},
    {0},
};

static int diff_run(const struct operands *operands)
{
    return diff_start(sides_given, operands, &part, &given);
}

const struct command_usage cmd_diff = {
    .command = "diff",
    .summary = "two runs, function by function",
    .synopsis = "[OPTION...] DIR1 DIR2 | --before DIR... --after DIR...",
    .purpose = "Compares the compensated times of two runs, or of two sets of runs, with uncertainty.",
    .options = specs,
    .operands_min = 0,
    .operands_max = 2,
    .operands = "two data directories",
    .run = diff_run,
};
