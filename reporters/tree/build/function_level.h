/* Levels of functions, as reports have them. */
#ifndef PCOMP_FUNCTION_LEVEL_H
#define PCOMP_FUNCTION_LEVEL_H

#include <stddef.h>

/* How much of a function was measured; lower ones are greater. */
enum function_level { LEVEL_NONE, LEVEL_TIMED, LEVEL_COUNTED, LEVEL_SAMPLED, LEVEL_OFF };

/* "timed", "counted" (in place), "sampled" (counted in windows), "off" (filtered out); NULL none. */
static inline const char *function_level_name(enum function_level level)
{
    static const char *const names[] = {NULL, "timed", "counted", "sampled", "off"};
    return names[level];
}

#endif
