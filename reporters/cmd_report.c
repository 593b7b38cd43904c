/* pcomp report: the profile of a data directory. */
#include "reporters/command.h"
#include "reporters/message.h"
#include "reporters/replay/replay_info.h"
#include "reporters/report_common.h"

enum report_view { VIEW_FLAT, VIEW_TREE, VIEW_CALLERS, VIEW_WAITING, VIEW_COST };

int cmd_report(int argc, char **argv)
{
    struct report_options options = {.dir = DEFAULT_DATA_DIR,
                                     .times = REPORT_BOTH,
                                     .sort = REPORT_BY_DEFAULT,
                                     .limit = UINT64_MAX,
                                     .min_percent = -1};
    struct load_options load = LOAD_OPTIONS;
    int view = VIEW_FLAT;
    const struct option_spec specs[] = {
        {"--view", 0, OPTION_CHOICE, "NAME", "flat (default), tree (call paths), callers, waiting (replayed) or cost",
         &view, "flat|tree|callers|waiting|cost"},
        {"--times", 0, OPTION_CHOICE, "WHICH", "compensated, raw or both (default)", &options.times, REPORT_TIMES},
        {"--sort", 0, OPTION_CHOICE, "KEY", REPORT_SORTS, &options.sort, REPORT_SORTS},
        {"--limit", 0, OPTION_COUNT, "N", "at most N functions or call paths; 0: all", &options.limit, NULL},
        {"--min-percent", 0, OPTION_NUMBER, "P", "leave out what has less than P % of the total", &options.min_percent,
         NULL},
        {"--expand", 0, OPTION_FLAG, NULL, "tree: a row for every function of a chain", &options.expand, NULL},
        LOAD_OPTION_SPECS(load),
        {"--format", 0, OPTION_CHOICE, "NAME", "text (default), json or csv", &options.format, EMIT_FORMATS},
        {0},
    };
    const struct command_usage usage = {
        .command = "report",
        .synopsis = "[OPTION...] [DIR]",
        .purpose = "Shows the profile in DIR (" DEFAULT_DATA_DIR "): times with and without the measurement.",
        .options = specs,
        .operands_max = 1,
        .operands = "a data directory",
    };
    struct operands operands;
    int status = options_parse(&usage, argc, argv, &operands);
    if (status >= 0)
        return status;
    if (operands.count)
        options.dir = operands.texts[0];
    options.limit_given = options.limit != UINT64_MAX;
    options.min_percent_given = options.min_percent >= 0;
    if (view == VIEW_WAITING)
        return report_waiting(&options);
    struct replay_info replay;
    if (view == VIEW_COST && replay_info_read(options.dir, &replay))
        return message_failure("%s: is a replayed execution, and was not measured (pcomp report --view cost %s)",
                               options.dir, replay.measured);
    load.want_costs = view == VIEW_COST;

    struct call_tree *tree = report_load("report", options.dir, &load, true, &status);
    if (!tree)
        return status;
    static const char *const views[] = {"flat", "tree", "callers", "waiting", "cost"};
    struct emitter *emitter =
        emitter_open((enum emit_format)options.format, stdout, view == VIEW_COST ? "pcomp-cost/1" : "pcomp-report/1");
    if (!emitter) {
        call_tree_free(tree);
        return message_no_memory("report");
    }
    report_head(emitter, tree, options.dir);
    emitter_field_text(emitter, "view", views[view]);
    status = view == VIEW_TREE      ? report_tree(emitter, tree, &options)
             : view == VIEW_CALLERS ? report_callers(emitter, tree, &options)
             : view == VIEW_COST    ? report_cost(emitter, tree, &options)
                                    : report_flat(emitter, tree, &options);
    if (view != VIEW_COST) /* which has a table of its own */
        report_threads(emitter, tree);
    report_notes(emitter, tree);
    int closed = emitter_close(emitter);
    call_tree_free(tree);
    return status ? status : closed;
}
