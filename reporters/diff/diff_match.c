#include "reporters/diff/diff_match.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELATIVE_MAX 10 /* a function that grew more has begun to take time */

static int diff_match_order(const void *a, const void *b)
{
    return call_tree_match(*(const struct tree_function *const *)a, *(const struct tree_function *const *)b);
}

const struct tree_function **diff_functions(const struct call_tree *tree, size_t *count)
{
    const struct tree_function **list = calloc(tree->function_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < tree->function_count; i++)
        if (report_is_listed(tree, i))
            list[(*count)++] = &tree->functions[i];
    if (list)
        qsort(list, *count, sizeof *list, diff_match_order);
    return list;
}

char *diff_relative(char *text, double change, double before, double uncertainty)
{
    double relative = report_ratio(change, before);
    if (!(before > uncertainty) || !(fabs(relative) <= RELATIVE_MAX))
        return strcpy(text, "-");
    return text_percent_signed(text, relative);
}

const char *diff_program(const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main && tree->processes[i].command)
            return tree->processes[i].command;
    return tree->process_count && tree->processes[0].command ? tree->processes[0].command : "";
}

/* Behind the folder of the program, which may have moved. */
static const char *program_name(const char *command)
{
    size_t length = strcspn(command, " ");
    const char *name = command;
    for (size_t i = 0; i < length; i++)
        if (command[i] == '/')
            name = command + i + 1;
    return name;
}

char *diff_programs(const char *before, const char *after)
{
    char *text = NULL;
    if (!*before || !*after || !strcmp(program_name(before), program_name(after)))
        return NULL;
    return asprintf(&text, "the runs are of different programs: before %s; after %s", before, after) < 0 ? NULL : text;
}

void diff_programs_note(struct emitter *emitter, const char *before, const char *after)
{
    char *text = diff_programs(before, after);
    if (text)
        emitter_note(emitter, "%s", text);
    free(text);
}
