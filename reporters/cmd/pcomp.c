/* The pcomp command: finds the verb and calls it. */
#include "reporters/base/locale_text.h"
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/cmd/command.h"
#include "reporters/cmd/completion.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    {"flags", cmd_flags, "the compiler's arguments for a program to be measured"},
    {"record", cmd_record, "run a program with measurement set up"},
    {"report", cmd_report, "show a profile: compensated and raw times"},
    {"top", cmd_top, "the profile of a running program, live"},
    {"tui", cmd_tui, "browse a profile on the terminal"},
    {"html", cmd_html, "a page of a profile, or of two compared, for browsers"},
    {"annotate", cmd_annotate, "source lines with their computing, and the calls at each"},
    {"replay", cmd_replay, "from a trace, the execution as it would have run unmeasured"},
    {"compare", cmd_compare, "raw against compensated, and what was taken away"},
    {"diff", cmd_diff, "two runs, function by function"},
    {"calibrate", cmd_calibrate, "what one measured call costs on this machine"},
    {"verify", cmd_verify, "compensated times against your uninstrumented program"},
    {"consult", cmd_consult, "search for bottlenecks while a program runs: why, where, when"},
    {"info", cmd_info, "what is in a data directory; how pcomp was built"},
    {"advise", cmd_advise, "what to leave out of instrumentation, as compiler arguments"},
    {"predict", cmd_predict, "what a measurement will cost, before it is made"},
    {"timeline", cmd_timeline, "draw the executions of a trace on one time axis"},
    {"export", cmd_export, "write a profile or a trace in another tool's format"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int pcomp_help(void)
{
    printf("usage: pcomp COMMAND [ARGUMENT...]\n"
           "Profiles C and C++ programs built with -finstrument-functions, without its own overhead.\n\ncommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s  %s\n", commands[i].name, commands[i].summary);
    printf("\npcomp COMMAND --help documents each; pcomp --version tells the version; pcomp completion bash|zsh is for "
           "your "
           "shell.\n");
    return fflush(stdout) || ferror(stdout) ? message_failure("standard output: %s", strerror(errno)) : STATUS_DONE;
}

static void too_large(int signal)
{
    (void)signal; /* the write that was refused says so */
}

/* Writing past RLIMIT_FSIZE is an error like others. A program that is started has the signal's default again. */
static void survive_file_limits(void)
{
    struct sigaction old, action = {.sa_handler = too_large, .sa_flags = SA_RESTART};
    if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    locale_text_begin();
    survive_file_limits();
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return message_misuse("a command is missing (pcomp --help lists them)");
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || (!strcmp(name, "help") && argc == 2))
        return pcomp_help();
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        return options_version();
    }
    if (!strcmp(name, "help")) { /* pcomp help COMMAND */
        static char help[] = "--help";
        argv[1] = argv[2];
        argv[2] = help;
        argc = 3;
        name = argv[1];
    }
    if (!strcmp(name, "completion"))
        return completion_run(argc - 1, argv + 1, commands, COMMANDS);
    for (size_t i = 0; i < COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    const char *nearest = options_nearest(name, &commands[0].name, COMMANDS, sizeof commands[0]);
    if (nearest)
        return message_misuse("%s: no such command (did you mean %s?)", name, nearest);
    return message_misuse("%s: no such command (pcomp --help lists them)", name);
}
