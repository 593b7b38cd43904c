/* pcomp top: the profile of a running program, live. */
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/live/live_run.h"
#include "reporters/live/live_target.h"
#include "reporters/live/screen.h"
#include "reporters/report/report_common.h"

#include <math.h>

#define ROWS_OF_TEXT 20
#define INTERVAL     1.0
#define INTERVAL_MIN 0.05

#define TOP_FORMATS "text|json"

static struct live_options given = {.command = "top", .interval = INTERVAL, .limit = UINT64_MAX};
static int format = -1, sort = LIVE_BY_COMPUTING;
static uint64_t count = UINT64_MAX;
static bool raw, inclusive;
static const struct option_spec specs[] = {
    {"--format", 0, OPTION_CHOICE, "NAME", "print snapshots: text (default off a terminal) or json, one a line",
     &format, TOP_FORMATS},
    {"--count", 'n', OPTION_COUNT, "N", "print so many snapshots; 0: until the program ends", &count, NULL},
    {"--interval", 0, OPTION_NUMBER, "SECONDS", "from one snapshot to the next (1)", &given.interval, NULL},
    {"--limit", 0, OPTION_COUNT, "N", "at most N functions a snapshot; 0: all (text 20, json all)", &given.limit, NULL},
    {"--sort", 0, OPTION_CHOICE, "KEY", "computing|waiting|calls|level|name", &sort,
     "computing|waiting|calls|level|name"},
    {"--raw", 0, OPTION_FLAG, NULL, "raw times first", &raw, NULL},
    {"--inclusive", 0, OPTION_FLAG, NULL, "inclusive times first", &inclusive, NULL},
    NAMES_SPEC(&given.source.names),
    {0},
};

static int top_run(const struct operands *operands)
{
    struct live_target target;
    char error[1024];
    int status;
    if (!(given.interval >= INTERVAL_MIN) || given.interval > 1e6)
        return message_misuse("top: --interval %g: expected seconds, at least %g", given.interval, INTERVAL_MIN);
    if (!live_target_find(operand_directory(operands), &target, error, sizeof error) ||
        !live_target_check(target.dir, error, sizeof error)) {
        live_target_free(&target);
        return message_failure("%s", error);
    }
    given.source.dir = target.dir;
    given.source.process = target.process;
    given.order = (struct live_order){.by = (enum live_sort)sort, .raw = raw, .inclusive = inclusive};
    if (format < 0 && count == UINT64_MAX && screen_is_there()) {
        status = live_run_browse(&given);
    } else {
        given.json = format == 1;
        given.count = count == UINT64_MAX ? 0 : count;
        if (given.limit == UINT64_MAX)
            given.limit = given.json ? 0 : ROWS_OF_TEXT;
        status = live_run_print(&given);
    }
    live_target_free(&target);
    return status;
}

const struct command_usage cmd_top = {
    .command = "top",
    .summary = "the profile of a running program, live",
    .synopsis = "[OPTION...] [DIR|PID]",
    .purpose = "Shows what a measured program does now: its profile in DIR (" DEFAULT_DATA_DIR "), or of process PID.",
    .options = specs,
    .operands_max = 1,
    .operands = "a data directory, or the id of a process",
    .run = top_run,
};
