/* Completion of the command line by bash and zsh, made of the tables of options. */
#ifndef PCOMP_COMPLETION_H
#define PCOMP_COMPLETION_H

#include "reporters/cmd/command.h"

#include <stddef.h>

/* pcomp completion bash|zsh: writes the shell's function to stdout. Returns an exit status. */
int completion_run(int argc, char **argv, const struct command *commands, size_t count);

#endif
