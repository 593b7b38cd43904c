/* pcomp tui: the browser of pcomp top over the totals of a profile. */
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/live/live_run.h"
#include "reporters/live/live_target.h"
#include "reporters/live/screen.h"
#include "reporters/report/report_common.h"

static struct live_options given = {.command = "tui", .interval = 1, .totals = true};
static const struct option_spec specs[] = {
    NAMES_SPEC(&given.source.names),
    {0},
};

static int tui_run(const struct operands *operands)
{
    char error[1024];
    given.source.dir = operand_directory(operands);
    if (!live_target_check(given.source.dir, error, sizeof error))
        return message_failure("%s", error);
    if (!screen_is_there())
        return message_failure("tui: needs a terminal (pcomp report %s prints the profile)", given.source.dir);
    return live_run_browse(&given);
}

const struct command_usage cmd_tui = {
    .command = "tui",
    .summary = "browse a profile on the terminal",
    .synopsis = "[OPTION...] [DIR]",
    .purpose = "Browses the profile in DIR (" DEFAULT_DATA_DIR ") on the terminal.",
    .options = specs,
    OPERAND_DIRECTORY,
    .run = tui_run,
};
