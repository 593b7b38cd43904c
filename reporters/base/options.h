/* Command line parsing, table driven: one table gives the parser, the help text and the messages of misuse.
 *
 * `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`, `--` ends the options. */
#ifndef PCOMP_OPTIONS_H
#define PCOMP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool * */
    OPTION_TEXT,   /* const char **, not empty */
    OPTION_COUNT,  /* uint64_t * */
    OPTION_NUMBER, /* double *, finite, not negative */
    OPTION_CHOICE, /* int *: index in `choices` */
    OPTION_LIST,   /* struct option_list *: every use adds one text */
    OPTION_MANY    /* struct option_list *: every use adds its arguments, up to the next option */
};

/* For tables of choices: the choices text is that of all of them, from its second character on. */
#define OPTION_CHOICE_OF(name, ...) "|" #name

struct option_list {
    const char **texts;
    size_t count;
};

struct option_spec {
    const char *name; /* "--limit"; NULL ends the table */
    char letter;      /* 'o' for -o; 0 none */
    enum option_kind kind;
    const char *argument; /* "N" in the help; NULL for flags; "[=NAME]": may be left out (the first choice) */
    const char *help;     /* one line; NULL: not in the help */
    void *value;
    const char *choices; /* "flat|tree" */
};

struct operands {
    char **texts; /* into argv, which is permuted */
    size_t count;
};

struct command_usage {
    const char *command;  /* "report" */
    const char *summary;  /* one line, for the list of commands; NULL: not in it */
    const char *synopsis; /* "[OPTION...] [DIR]" */
    const char *purpose;  /* one sentence */
    const struct option_spec *options;
    size_t operands_min, operands_max;
    const char *operands;                        /* what they are, for messages: "one data directory" */
    bool stop_at_operand;                        /* options after the first operand belong to it (record) */
    int (*run)(const struct operands *operands); /* once the options are read; returns the exit status */
};

/* Of these: one directory, or none. */
#define OPERAND_DIRECTORY .operands_max = 1, .operands = "a data directory"

/* Fills the values and the operands. Returns -1 to go on, else the exit status: after --help (written to stdout) or
 * misuse (one line on stderr). argv[0] is the command's name. */
int options_parse(const struct command_usage *usage, int argc, char **argv, struct operands *operands);

/* The program's name and version, to stdout; an exit status. */
int options_version(void);

/* The entry nearest to `given` among `count` names at `names` (stride bytes apart), NULL when none is near. */
const char *options_nearest(const char *given, const char *const *names, size_t count, size_t stride);

#endif
