/* pcomp tui: the browser of pcomp top over the totals of a profile. */
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/live/live_run.h"
#include "reporters/live/live_target.h"
#include "reporters/live/screen.h"
#include "reporters/report/report_common.h"

int cmd_tui(int argc, char **argv)
{
    struct live_options options = {.command = "tui", .interval = 1, .totals = true};
    const struct option_spec specs[] = {
        NAMES_SPEC(&options.source.names),
        {0},
    };
    const struct command_usage usage = {
        .command = "tui",
        .synopsis = "[OPTION...] [DIR]",
        .purpose = "Browses the profile in DIR (" DEFAULT_DATA_DIR ") on the terminal.",
        .options = specs,
        OPERAND_DIRECTORY,
    };
    struct operands operands;
    char error[1024];
    int status = options_parse(&usage, argc, argv, &operands);
    if (status >= 0)
        return status;
    options.source.dir = operand_directory(&operands);
    if (!live_target_check(options.source.dir, error, sizeof error))
        return message_failure("%s", error);
    if (!screen_is_there())
        return message_failure("tui: needs a terminal (pcomp report %s prints the profile)", options.source.dir);
    return live_run_browse(&options);
}
