/* Why a program takes the time that it takes: the hypotheses at the root of a search. */
#ifndef PCOMP_WHY_NAMES_H
#define PCOMP_WHY_NAMES_H

#include <stdint.h>

enum why {
    WHY_CPU,
    WHY_LOCK,
    WHY_CONDITION,
    WHY_BARRIER,
    WHY_SEMAPHORE,
    WHY_JOIN,
    WHY_MESSAGE,
    WHY_IO,
    WHY_FAULT,
    WHY_SLEEP,
    WHY_OTHER,
    WHY_OVERHEAD,
    WHY_COUNT,
    WHY_NONE = WHY_COUNT
};

struct why_text {
    const char *name;  /* of options and JSON */
    const char *claim; /* "waits for locks" */
    double threshold;  /* share of time, by default */
};

extern const struct why_text why_texts[WHY_COUNT];

/* The one with that name; WHY_NONE: none. */
enum why why_find(const char *name);

/* Takes "cpu=20%,lock=10%" into thresholds. False: *wrong is what is not understood. */
int why_thresholds_parse(const char *text, double thresholds[WHY_COUNT], const char **wrong);

#endif
