/* Which options of `pcomp record` go together: for the command, and for the library that reads them of PCOMP_OPTIONS.
 */
#ifndef PCOMP_OPTION_RULES_H
#define PCOMP_OPTION_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct option_rule {
    const char *option, *value; /* with this option (value NULL: any of its values) ... */
    bool needs;                 /* ... the other must be given; else it must not */
    const char *other, *other_value;
    const char *why; /* for the user */
};

#define OF_A_TRACE   "is an option of --trace"
#define NOT_TRACED   "a trace has events, and no calls to count"
#define ALL_RECORDED "no call is counted in place"
#define NOT_COUNTED  "where all calls are counted in place, rare ones are timed, by the plain clock"

/* The first rule that the options given break; NULL: none. `given` tells whether an option is there with that value. */
static inline const struct option_rule *
option_rule_broken(bool (*given)(const void *options, const char *option, const char *value), const void *options)
{
    static const struct option_rule rules[] = {
        {"--trace-all", NULL, true, "--trace", NULL, OF_A_TRACE},
        {"--trace-limit", NULL, true, "--trace", NULL, OF_A_TRACE},
        {"--budget-trace", NULL, true, "--trace", NULL, OF_A_TRACE},
        {"--trace", NULL, false, "--counters", NULL, NOT_TRACED},
        {"--trace", NULL, false, "--calibration", NULL, NOT_TRACED},
        {"--trace", NULL, false, "--mode", NULL, NOT_TRACED},
        {"--trace", NULL, false, "--budget-memory", NULL, NOT_TRACED},
        {"--trace", NULL, false, "--fold-recursion", NULL, NOT_TRACED},
        {"--trace", NULL, false, "--native-frames", NULL, NOT_TRACED},
        {"--trace", NULL, false, "--call-sites", NULL, NOT_TRACED},
        {"--trace-all", NULL, false, "--budget", NULL, ALL_RECORDED},
        {"--trace-all", NULL, false, "--counts", NULL, ALL_RECORDED},
        {"--budget-trace", NULL, false, "--budget", NULL, ALL_RECORDED},
        {"--budget-trace", NULL, false, "--counts", NULL, ALL_RECORDED},
        {"--counts", "exact", false, "--counters", NULL, NOT_COUNTED},
        {"--counts", "exact", false, "--mode", "full", NOT_COUNTED},
        {"--counts", "exact", false, "--model", "paper", NOT_COUNTED},
        {"--counts", "exact", false, "--clock", NULL, NOT_COUNTED},
        {"--counts", "exact", false, "--budget", NULL, "all calls are counted, whatever it costs"},
        {"--counts", "exact", false, "--fold-recursion", NULL, NOT_COUNTED},
        {"--counts", "exact", false, "--native-frames", NULL, NOT_COUNTED},
        {"--counts", "exact", false, "--call-sites", NULL, NOT_COUNTED},
        {"--budget", NULL, false, "--mode", "full", "every call is timed, whatever it costs"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (given(options, rules[i].option, rules[i].value) &&
            given(options, rules[i].other, rules[i].other_value) != rules[i].needs)
            return &rules[i];
    return NULL;
}

#endif
