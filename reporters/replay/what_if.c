#include "reporters/replay/what_if.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool what_if_parse(const char *text, struct what_if *what_if)
{
    const char *sign = strrchr(text, '='); /* operator== has some */
    char *end;
    *what_if = (struct what_if){.text = text};
    if (!sign || sign == text || (size_t)(sign - text) >= sizeof what_if->name)
        return false;
    memcpy(what_if->name, text, (size_t)(sign - text));
    what_if->speed = strtod(sign + 1, &end);
    return end != sign + 1 && !strcmp(end, "x") && isfinite(what_if->speed) && what_if->speed > 0;
}

bool what_if_open(struct what_if *what_if, struct trace_functions *functions)
{
    what_if->functions = functions;
    what_if->count = trace_functions_count(functions);
    what_if->factors = malloc((what_if->count + 1) * sizeof *what_if->factors);
    what_if->unrecorded = calloc((size_t)what_if->count + 1, sizeof *what_if->unrecorded);
    for (uint32_t i = 0; what_if->factors && i < what_if->count; i++)
        what_if->factors[i] = 1;
    return what_if->factors && what_if->unrecorded &&
           trace_functions_mark_counted(functions, what_if->unrecorded, what_if->count);
}

/* The whole name, the name without its parameters, or a pattern of it. */
static bool is_meant(const char *name, const char *meant)
{
    size_t length = strlen(meant);
    bool begins = !strncmp(name, meant, length);
    return (begins && (name[length] == 0 || name[length] == '(')) || fnmatch(meant, name, 0) == 0;
}

uint32_t what_if_choose(struct what_if *what_if)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < what_if->count; i++)
        if (is_meant(trace_functions_name(what_if->functions, i), what_if->name)) {
            what_if->factors[i] = 1 / what_if->speed;
            chosen++;
        }
    return chosen;
}

void what_if_add_unrecorded(struct what_if *what_if, uint32_t process, const struct path_tree *tree)
{
    for (uint32_t i = 0; i < tree->suppressed_count; i++) {
        uint32_t number = trace_functions_find(what_if->functions, process, tree->suppressed[i].function);
        if (number < what_if->count)
            what_if->unrecorded[number] = true;
    }
}

uint32_t what_if_find_unrecorded(const struct what_if *what_if)
{
    for (uint32_t i = 0; i < what_if->count; i++)
        if (what_if->factors[i] != 1 && what_if->unrecorded[i])
            return i;
    return UINT32_MAX;
}

double what_if_own_time(void *context, uint32_t process, uint64_t function)
{
    const struct what_if *what_if = context;
    uint32_t number = trace_functions_find(what_if->functions, process, function);
    return number < what_if->count ? what_if->factors[number] : 1;
}

void what_if_close(struct what_if *what_if)
{
    free(what_if->factors);
    free(what_if->unrecorded);
    wake_memory_free(&what_if->wakes);
    what_if->factors = NULL;
    what_if->unrecorded = NULL;
}
