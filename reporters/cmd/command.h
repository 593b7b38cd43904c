/* The commands of pcomp. A new one is a file that defines `cmd_NAME`, and an entry in COMMANDS. */
#ifndef PCOMP_COMMAND_H
#define PCOMP_COMMAND_H

#include "reporters/base/options.h"

/* In the order of the help. */
#define COMMANDS(COMMAND)                                                                                              \
    COMMAND(flags)                                                                                                     \
    COMMAND(record)                                                                                                    \
    COMMAND(report)                                                                                                    \
    COMMAND(top)                                                                                                       \
    COMMAND(tui)                                                                                                       \
    COMMAND(html)                                                                                                      \
    COMMAND(annotate)                                                                                                  \
    COMMAND(replay)                                                                                                    \
    COMMAND(compare)                                                                                                   \
    COMMAND(diff)                                                                                                      \
    COMMAND(calibrate)                                                                                                 \
    COMMAND(verify)                                                                                                    \
    COMMAND(consult)                                                                                                   \
    COMMAND(info)                                                                                                      \
    COMMAND(advise)                                                                                                    \
    COMMAND(predict)                                                                                                   \
    COMMAND(timeline)                                                                                                  \
    COMMAND(export)                                                                                                    \
    COMMAND(completion)

/* Options are read into static variables of the command's file before `run` is called, once in a process. */
#define COMMAND_DECLARATION(name) extern const struct command_usage cmd_##name;
COMMANDS(COMMAND_DECLARATION)

#define COMMAND_ADDRESS(name) &cmd_##name,
#define COMMAND_TABLE                                                                                                  \
    {                                                                                                                  \
        COMMANDS(COMMAND_ADDRESS)                                                                                      \
    }

#endif
