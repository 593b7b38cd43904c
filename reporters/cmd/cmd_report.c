/* pcomp report: the profile of a data directory. */
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/cmd/pager.h"
#include "reporters/profile/replay_info.h"
#include "reporters/report/build_notes.h"
#include "reporters/report/next_step.h"
#include "reporters/report/report_brief.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_head.h"
#include "reporters/tree/fold_tree.h"

#define VIEW_ENUM(name)  VIEW_##name,
#define VIEW_ENTRY(name) {#name, report_##name},
enum { REPORT_VIEWS(VIEW_ENUM) VIEW_waiting }; /* the last is of the directory, not of a tree */
static const struct {
    const char *name;
    int (*write)(struct emitter *emitter, struct call_tree *tree, const struct report_options *options);
} views[] = {REPORT_VIEWS(VIEW_ENTRY)};
static const char view_choices[] = REPORT_VIEWS(OPTION_CHOICE_OF) OPTION_CHOICE_OF(waiting);

enum { FORMAT_BRIEF = EMIT_CSV + 1 };

/* The views of a loaded tree, in text, JSON or CSV. */
static int report_write(struct call_tree *tree, const struct report_options *options, int view)
{
    struct emitter *emitter =
        emitter_open((enum emit_format)options->format, stdout, view == VIEW_cost ? "pcomp-cost/1" : "pcomp-report/1");
    if (!emitter)
        return message_no_memory("report");
    report_head(emitter, tree, options->dir, options->verbose);
    emitter_field_text(emitter, "view", views[view].name);
    int status = views[view].write(emitter, tree, options);
    if (view != VIEW_cost) /* which has a table of its own */
        report_threads(emitter, tree);
    report_notes(emitter, tree);
    report_build_notes(emitter, tree);
    if (!options->quiet)
        report_next_step(emitter, tree, options->dir, view == VIEW_flat);
    int closed = emitter_close(emitter);
    return status ? status : closed;
}

/* Folds what is to be folded; text shows the depths of a recursion as one, unless told otherwise. */
static bool report_fold(struct call_tree *tree, const struct report_options *options, int view,
                        const struct fold_options *asked)
{
    struct fold_options fold = *asked;
    fold.recursion |= view == VIEW_tree && options->format == EMIT_TEXT && !options->expand;
    return (!fold.recursion && !fold.functions->count) || fold_tree(tree, &fold);
}

static struct report_options given = {
    .times = REPORT_BOTH, .sort = REPORT_BY_DEFAULT, .limit = UINT64_MAX, .min_percent = -1};
static struct option_list folded;
static struct fold_options fold_given = {.functions = &folded};
static int view_given = VIEW_flat;
static struct load_options part = LOAD_OPTIONS;

static int report_tree_write(struct call_tree *tree, void *context)
{
    const struct report_options *options = context;
    if (!report_fold(tree, options, view_given, &fold_given))
        return message_no_memory("report");
    return options->format == FORMAT_BRIEF ? report_brief(stdout, tree, options)
                                           : report_write(tree, options, view_given);
}

static int report_show(struct report_options *options, struct load_options *load, int view)
{
    struct replay_info replay;
    if (options->format == FORMAT_BRIEF && view != VIEW_flat)
        return message_misuse("report: --format brief: has the functions alone (leave out --view)");
    if (view == VIEW_waiting)
        return report_waiting(options);
    if (view == VIEW_cost && replay_info_read(options->dir, &replay))
        return message_failure("%s: is a replayed execution, and was not measured (pcomp report --view cost %s)",
                               options->dir, replay.measured);
    load->want_costs = view == VIEW_cost;
    return report_with_tree("report", options->dir, load, report_tree_write, options);
}

static const struct option_spec specs[] = {
    {"--view", 0, OPTION_CHOICE, "NAME", view_choices + 1, &view_given, view_choices + 1},
    {"--times", 0, OPTION_CHOICE, "WHICH", "compensated, raw or both (default)", &given.times, REPORT_TIMES},
    {"--sort", 0, OPTION_CHOICE, "KEY", REPORT_SORTS, &given.sort, REPORT_SORTS},
    {"--limit", 0, OPTION_COUNT, "N", "at most N functions or call paths; 0: all", &given.limit, NULL},
    {"--min-percent", 0, OPTION_NUMBER, "P", "leave out what has less than P % of the total", &given.min_percent, NULL},
    {"--expand", 0, OPTION_FLAG, NULL, "tree: a row for every function of a chain, every depth of a recursion",
     &given.expand, NULL},
    {"--fold", 0, OPTION_LIST, "PAT", "functions that match (as of record --skip) are part of their callers", &folded,
     NULL},
    {"--fold-recursion", 0, OPTION_FLAG, NULL, "one call path for all depths of a recursion", &fold_given.recursion,
     NULL},
    LOAD_OPTION_SPECS(part),
    {"--format", 0, OPTION_CHOICE, "NAME", "text (default), json, csv, or brief (for tools: 2,000 tokens)",
     &given.format, EMIT_FORMATS "|brief"},
    {"--verbose", 'v', OPTION_FLAG, NULL, "text: all there is to know of the run", &given.verbose, NULL},
    {"--quiet", 'q', OPTION_FLAG, NULL, "text: no next step", &given.quiet, NULL},
    {0},
};

static int report_run(const struct operands *operands)
{
    given.dir = operand_directory(operands);
    given.limit_given = given.limit != UINT64_MAX;
    given.min_percent_given = given.min_percent >= 0;
    if (given.format == EMIT_TEXT)
        pager_begin();
    int status = report_show(&given, &part, view_given);
    pager_end();
    return status;
}

const struct command_usage cmd_report = {
    .command = "report",
    .summary = "show a profile: compensated and raw times",
    .synopsis = "[OPTION...] [DIR]",
    .purpose = "Shows the profile in DIR (" DEFAULT_DATA_DIR "): times with and without the measurement.",
    .options = specs,
    OPERAND_DIRECTORY,
    .run = report_run,
};
