#include "reporters/base/options.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include "pcomp_config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *options_nearest(const char *given, const char *const *names, size_t count, size_t stride)
{
    const char *nearest = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)names + i * stride);
        unsigned distance = text_distance(given, name);
        if (distance < best && distance < strlen(name)) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

static int options_help(const struct command_usage *usage)
{
    printf("usage: pcomp %s %s\n%s\n\noptions:\n", usage->command, usage->synopsis, usage->purpose);
    for (const struct option_spec *spec = usage->options; spec->name; spec++) {
        if (!spec->help)
            continue;
        char left[80] = "";
        int size = snprintf(left, sizeof left, spec->letter ? "  -%c, " : "      ", spec->letter);
        snprintf(left + size, sizeof left - (size_t)size, "%s%s%s", spec->name,
                 spec->argument && *spec->argument != '[' ? " " : "", spec->argument ? spec->argument : "");
        if (strlen(left) > 28)
            printf("%s\n%-28s  %s\n", left, "", spec->help);
        else
            printf("%-28s  %s\n", left, spec->help);
    }
    printf("%-28s  %s\n\nThe manual page pcomp-%s(1) has the details.\n", "      --help", "this text", usage->command);
    return fflush(stdout) || ferror(stdout) ? message_failure("standard output: %s", strerror(errno)) : STATUS_DONE;
}

int options_version(void)
{
    printf("pcomp %s\n", PCOMP_VERSION);
    return fflush(stdout) || ferror(stdout) ? message_failure("standard output: %s", strerror(errno)) : STATUS_DONE;
}

static int options_choice(const struct command_usage *usage, const struct option_spec *spec, const char *text)
{
    int index = 0;
    size_t length = strlen(text);
    for (const char *choice = spec->choices; choice; index++) {
        const char *end = strchrnul(choice, '|');
        if ((size_t)(end - choice) == length && !strncmp(choice, text, length)) {
            *(int *)spec->value = index;
            return -1;
        }
        choice = *end ? end + 1 : NULL;
    }
    char known[256] = "";
    for (const char *choice = spec->choices; choice;) {
        const char *end = strchrnul(choice, '|');
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%.*s", used ? ", " : "", (int)(end - choice), choice);
        choice = *end ? end + 1 : NULL;
    }
    return message_misuse("%s: %s %s: no such choice (one of: %s)", usage->command, spec->name, text, known);
}

static int options_value(const struct command_usage *usage, const struct option_spec *spec, const char *text)
{
    char *end;
    errno = 0;
    switch (spec->kind) {
    case OPTION_TEXT:
        if (!*text)
            return message_misuse("%s: %s: is empty (give it a %s)", usage->command, spec->name, spec->argument);
        *(const char **)spec->value = text;
        return -1;
    case OPTION_COUNT: {
        unsigned long long value = strtoull(text, &end, 10);
        if (!isdigit((unsigned char)*text) || *end || errno)
            return message_misuse("%s: %s %s: is not a whole number (give a number from 0 on)", usage->command,
                                  spec->name, text);
        *(uint64_t *)spec->value = value;
        return -1;
    }
    case OPTION_NUMBER: {
        double value = strtod(text, &end);
        if (end == text || *end || errno || !isfinite(value) || value < 0)
            return message_misuse("%s: %s %s: is not a number (give a number from 0 on)", usage->command, spec->name,
                                  text);
        *(double *)spec->value = value;
        return -1;
    }
    case OPTION_CHOICE:
        return options_choice(usage, spec, text);
    case OPTION_LIST:
    case OPTION_MANY: {
        struct option_list *list = spec->value;
        if (!*text)
            return message_misuse("%s: %s: is empty (give it a %s)", usage->command, spec->name, spec->argument);
        const char **texts = reallocarray(list->texts, list->count + 1, sizeof *texts);
        if (!texts)
            return message_no_memory(spec->name);
        list->texts = texts;
        texts[list->count++] = text;
        return -1;
    }
    case OPTION_FLAG:
        break;
    }
    return -1;
}

static int options_unknown(const struct command_usage *usage, const char *given)
{
    size_t count = 0;
    while (usage->options[count].name)
        count++;
    const char *nearest = options_nearest(given, &usage->options[0].name, count, sizeof *usage->options);
    if (nearest)
        return message_misuse("%s: %s: no such option (did you mean %s?)", usage->command, given, nearest);
    return message_misuse("%s: %s: no such option (pcomp %s --help lists them)", usage->command, given, usage->command);
}

/* One option at argv[*at]; moves *at past it. */
static int options_one(const struct command_usage *usage, int argc, char **argv, int *at)
{
    char *given = argv[(*at)++];
    bool is_long = given[1] == '-';
    const char *equals = is_long ? strchr(given, '=') : NULL;
    size_t length = equals ? (size_t)(equals - given) : strlen(given);
    const struct option_spec *spec = usage->options;
    while (spec->name && !(is_long ? strlen(spec->name) == length && !strncmp(spec->name, given, length)
                                   : spec->letter && spec->letter == given[1]))
        spec++;
    if (!spec->name) {
        if (!strcmp(given, "--help") || !strcmp(given, "-h"))
            return options_help(usage);
        if (!strcmp(given, "--version") || !strcmp(given, "-V"))
            return options_version();
        return options_unknown(usage, given);
    }
    const char *text = equals ? equals + 1 : !is_long && given[2] ? given + 2 : NULL;
    if (spec->kind == OPTION_FLAG) {
        if (text)
            return message_misuse("%s: %s: takes no argument", usage->command, given);
        *(bool *)spec->value = true;
        return -1;
    }
    if (!text && *spec->argument == '[') {
        *(int *)spec->value = 0;
        return -1;
    }
    if (!text) {
        if (*at >= argc)
            return message_misuse("%s: %s: lacks its argument (%s %s)", usage->command, given, given, spec->argument);
        text = argv[(*at)++];
    }
    int status = options_value(usage, spec, text);
    while (status < 0 && spec->kind == OPTION_MANY && *at < argc && (argv[*at][0] != '-' || !argv[*at][1]))
        status = options_value(usage, spec, argv[(*at)++]);
    return status;
}

int options_parse(const struct command_usage *usage, int argc, char **argv, struct operands *operands)
{
    size_t count = 0;
    bool only_operands = false;
    for (int at = 1; at < argc;) {
        if (!only_operands && !strcmp(argv[at], "--")) {
            only_operands = true;
            at++;
        } else if (!only_operands && argv[at][0] == '-' && argv[at][1]) {
            int status = options_one(usage, argc, argv, &at);
            if (status >= 0)
                return status;
        } else {
            only_operands |= usage->stop_at_operand;
            argv[count++] = argv[at++];
        }
    }
    if (count < usage->operands_min)
        return message_misuse("%s: lacks %s (usage: pcomp %s %s)", usage->command, usage->operands, usage->command,
                              usage->synopsis);
    if (count > usage->operands_max)
        return message_misuse("%s: %s: one operand too many (usage: pcomp %s %s)", usage->command,
                              argv[usage->operands_max], usage->command, usage->synopsis);
    operands->texts = argv;
    operands->count = count;
    return -1;
}
