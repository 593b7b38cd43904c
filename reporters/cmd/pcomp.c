/* The pcomp command: finds the verb and calls it. */
#include "reporters/base/locale_text.h"
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct command_usage *const commands[] = COMMAND_TABLE;
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static int pcomp_help(void)
{
    printf("usage: pcomp COMMAND [ARGUMENT...]\n"
           "Profiles C and C++ programs built with -finstrument-functions, without its own overhead.\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i]->summary)
            printf("  %-10s  %s\n", commands[i]->command, commands[i]->summary);
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

static int run_command(const struct command_usage *command, int argc, char **argv)
{
    struct operands operands;
    int status = options_parse(command, argc, argv, &operands);
    return status >= 0 ? status : command->run(&operands);
}

static int no_such_command(const char *given)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->command;
    const char *nearest = options_nearest(given, names, COMMAND_COUNT, sizeof *names);
    return nearest ? message_misuse("%s: no such command (did you mean %s?)", given, nearest)
                   : message_misuse("%s: no such command (pcomp --help lists them)", given);
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
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(name, commands[i]->command))
            return run_command(commands[i], argc - 1, argv + 1);
    return no_such_command(name);
}
