/* pcomp completion: completion of the command line by bash and zsh, made of the tables of options. */
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct command_usage *const commands[] = COMMAND_TABLE;
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

/* --- bash ----------------------------------------------------------------------------------------------------------
 */

static void words_of_choices(const char *choices)
{
    for (; *choices; choices++)
        putchar(*choices == '|' ? ' ' : *choices);
}

static void bash_command(const struct command_usage *usage)
{
    printf("    %s)\n        options='", usage->command);
    for (const struct option_spec *spec = usage->options; spec->name; spec++)
        if (spec->help)
            printf("%s ", spec->name);
    printf("--help'\n        case $before in\n");
    for (const struct option_spec *spec = usage->options; spec->name; spec++)
        if (spec->help && spec->choices) {
            printf("        %s) choices='", spec->name);
            words_of_choices(spec->choices);
            printf("' ;;\n");
        }
    printf("        esac\n        ;;\n");
}

static void bash_begin(void)
{
    printf("# Completion of pcomp by bash; written by `pcomp completion bash`.\n"
           "_pcomp()\n{\n"
           "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options='' choices='' i\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i]->summary)
            printf("%s ", commands[i]->command);
    printf("--help --version' -- \"$now\"))\n"
           "        return\n"
           "    fi\n"
           "    for ((i = 2; i < COMP_CWORD; i++)); do # behind -- stands the program\n"
           "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
           "            ((i + 1 == COMP_CWORD)) && COMPREPLY=($(compgen -c -- \"$now\"))\n"
           "            return\n"
           "        fi\n"
           "    done\n"
           "    if [[ $now == '=' ]]; then\n"
           "        now=''\n"
           "    elif [[ $before == '=' ]]; then\n"
           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
}

static void bash_end(void)
{
    printf("    esac\n"
           "    if [[ -n $choices ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$choices\" -- \"$now\"))\n"
           "    elif [[ $now == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$now\"))\n"
           "    fi\n"
           "}\n"
           "complete -o default -o bashdefault -F _pcomp pcomp\n");
}

/* --- zsh -----------------------------------------------------------------------------------------------------------
 */

/* Inside of '...', where ":", "[" and "]" mean something to _arguments. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(":[]\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_option(const struct option_spec *spec, const char *name, bool is_long)
{
    printf("            '*%s%s[", name, spec->kind == OPTION_FLAG ? "" : is_long ? "=" : "+");
    zsh_text(spec->help);
    printf("]");
    if (spec->kind != OPTION_FLAG) {
        printf(":");
        zsh_text(spec->argument);
        printf(":");
        if (spec->choices) {
            printf("(");
            words_of_choices(spec->choices);
            printf(")");
        } else {
            printf("_files");
        }
    }
    printf("' \\\n");
}

static void zsh_command(const struct command_usage *usage)
{
    printf("    %s)\n        _arguments%s \\\n", usage->command, usage->stop_at_operand ? " -S -A '-*'" : "");
    for (const struct option_spec *spec = usage->options; spec->name; spec++) {
        char letter[] = {'-', spec->letter, 0};
        if (!spec->help)
            continue;
        zsh_option(spec, spec->name, true);
        if (spec->letter)
            zsh_option(spec, letter, false);
    }
    printf("            %s\n        ;;\n",
           usage->stop_at_operand ? "'(-)1:program: _command_names -e' '*::argument: _normal'" : "'*:file:_files'");
}

static void zsh_begin(void)
{
    printf("#compdef pcomp\n# Completion of pcomp by zsh; written by `pcomp completion zsh`.\n"
           "_pcomp()\n{\n    local -a subcommands=(\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (!commands[i]->summary)
            continue;
        printf("        '%s:", commands[i]->command);
        zsh_text(commands[i]->summary);
        printf("'\n");
    }
    printf("    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command subcommands\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $words[1] in\n");
}

static void zsh_end(void)
{
    printf("    esac\n}\n_pcomp \"$@\"\n");
}

/* --- Both ----------------------------------------------------------------------------------------------------------
 */

static int completion_run(const struct operands *operands)
{
    bool bash = !strcmp(operands->texts[0], "bash");
    if (!bash && strcmp(operands->texts[0], "zsh") != 0)
        return message_misuse("completion: %s: no such shell (one of: bash, zsh)", operands->texts[0]);
    (bash ? bash_begin : zsh_begin)();
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i]->summary)
            (bash ? bash_command : zsh_command)(commands[i]);
    (bash ? bash_end : zsh_end)();
    return fflush(stdout) || ferror(stdout) ? message_failure("standard output: %s", strerror(errno)) : STATUS_DONE;
}

static const struct option_spec specs[] = {{0}};

const struct command_usage cmd_completion = {
    .command = "completion",
    .synopsis = "bash|zsh",
    .purpose = "Writes the function by which a shell completes the command line of pcomp.",
    .options = specs,
    .operands_min = 1,
    .operands_max = 1,
    .operands = "the shell: bash or zsh",
    .run = completion_run,
};
