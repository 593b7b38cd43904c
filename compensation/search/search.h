/* The search for bottlenecks: which hypotheses are tested when, and what came out (why, where, when).
 *
 * A hypothesis says that a program spends more than a threshold of its time in a certain way (why) at a certain place
 * (axis and focus: a call path, a function, a thread ...). It waits in a queue, is tested with samples taken from then
 * on, and ends as true or false as soon as the interval of its share lies on one side of the threshold (share_test.h).
 * The caller refines what has become true: it adds hypotheses about the parts of its place. So the hypotheses form a
 * tree, and places that are of no account are never looked into (Hollingsworth and Miller 1996, sections 2 and 4).
 *
 *        note         add         room             share is clear
 *     LATENT ──▶ QUEUED ────▶ TESTING ───────────────────▶ TRUE ──▶ (caller adds refinements)
 *                     ▲            │  └──────────────────────▶ FALSE
 *                     └────────────┘ not clear for long while others wait: set aside, and taken up again later
 *
 * Samples of what has been tested go on to be counted: when the program changes and the interval of the share of all
 * the time comes to lie on the other side, what was false becomes true, and the reverse.
 *
 * Where each sample tells the places of all threads (pcomp_search_begin), evidence is there before a hypothesis is
 * asked: it is noted when its place is first seen, its values before were 0, and when its turn comes it may be decided
 * at once. The test allows for being looked at late: it holds at any time. Else, and always with at_most, its evidence
 * begins with its test, as if each had to be instrumented for.
 *
 * What is refined last is tested first, and what was seen most. How many are tested at a time is limited by number
 * (at_most) or by cost (pcomp_search_plan).
 *
 * Samples come in streams, for kinds of evidence that are not sampled at the same moments. A sample has a value from 0
 * to 1 for each hypothesis of its stream; those that are not told have the value 0.
 *
 * Pure: time is a parameter, in seconds. Not thread-safe. */
#ifndef PCOMP_SEARCH_H
#define PCOMP_SEARCH_H

#include "compensation/search/share_test.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCOMP_SEARCH_NONE    UINT32_MAX
#define PCOMP_SEARCH_STREAMS 3
#define PCOMP_SEARCH_KINDS   16 /* values of why and axis are below these */
#define PCOMP_SEARCH_AXES    8
#define PCOMP_SEARCH_SLICES  64 /* of time, of equal width, which doubles when they do not suffice */

enum pcomp_hypothesis_state {
    PCOMP_HYPOTHESIS_LATENT, /* its place is known, but not asked for */
    PCOMP_HYPOTHESIS_QUEUED,
    PCOMP_HYPOTHESIS_TESTING,
    PCOMP_HYPOTHESIS_TRUE,
    PCOMP_HYPOTHESIS_FALSE
};

struct pcomp_hypothesis {
    uint32_t parent;           /* index of the hypothesis it refines; PCOMP_SEARCH_NONE: none */
    uint32_t why, axis, focus; /* meaning is the caller's */
    uint32_t stream;
    double threshold; /* 0 < threshold < 1 */
    double seen;      /* how often its place was seen before: order of testing alone */
    /* the search's own: */
    enum pcomp_hypothesis_state state;
    double samples, sum, unknown;        /* evidence, without that of the test under way */
    double began_samples, began_unknown; /* when that began: of the stream, of (why, axis) */
    double began_sum;                    /* values since */
    double began_s, tested_s;            /* when the test began, and when it ended */
    bool gathers, tested, found;         /* evidence, now; ever tested; ever true */
    double tested_samples;               /* when its last test began */
    double after_s;                      /* when its parent was found true: order */
    uint32_t next;                       /* in its hash chain */
    uint32_t first_slice;                /* before the first that was tested as a whole */
    float slices[PCOMP_SEARCH_SLICES];   /* sums of values */
};

struct pcomp_search;

/* at_most: hypotheses tested at a time; 0: no limit. patience: samples after which one that is not clear is set aside
 * while others wait. NULL: no memory. */
struct pcomp_search *pcomp_search_new(uint32_t at_most, double patience);
void pcomp_search_free(struct pcomp_search *search);

/* From the sample under way on, all values of hypotheses of (why, axis) are told, whether they are tested or not.
 * Nothing after the first time, or with at_most. */
void pcomp_search_begin(struct pcomp_search *search, uint32_t why, uint32_t axis, uint32_t stream);

/* Notes a hypothesis as LATENT, where that was begun; else nothing. Returns its index or PCOMP_SEARCH_NONE. */
uint32_t pcomp_search_note(struct pcomp_search *search, const struct pcomp_hypothesis *hypothesis);

/* Queues a hypothesis, of which the first fields are filled in, at `now`. Returns its index, that of the one there is
 * already of this (why, axis, focus), or PCOMP_SEARCH_NONE without memory. */
uint32_t pcomp_search_add(struct pcomp_search *search, const struct pcomp_hypothesis *hypothesis, double now);

/* Index of a hypothesis; PCOMP_SEARCH_NONE: there is none. */
uint32_t pcomp_search_find(const struct pcomp_search *search, uint32_t why, uint32_t axis, uint32_t focus);

uint32_t pcomp_search_count(const struct pcomp_search *search);
const struct pcomp_hypothesis *pcomp_search_at(const struct pcomp_search *search, uint32_t index);

/* A sample at `now`, and after it the values in it that are not 0. The values that one sample gives to a hypothesis are
 * added up to 1 at most. */
void pcomp_search_sample(struct pcomp_search *search, uint32_t stream, double now);
void pcomp_search_value(struct pcomp_search *search, uint32_t index, double value);

/* A part of the last sample that may belong to any hypothesis of (why, axis), since its place is not known: their
 * shares are that much higher at most, and none is called false that could reach its threshold so. */
void pcomp_search_unknown(struct pcomp_search *search, uint32_t why, uint32_t axis, double value);

/* Ends tests that are clear, sets aside, begins others: at most `breadth` are tested then. */
void pcomp_search_decide(struct pcomp_search *search, uint32_t breadth, double now);

/* Each that has become true, once; PCOMP_SEARCH_NONE: no more for now. */
uint32_t pcomp_search_next_true(struct pcomp_search *search);

/* How many are tested, or wait for it. */
uint32_t pcomp_search_testing(const struct pcomp_search *search);
uint32_t pcomp_search_queued(const struct pcomp_search *search);

/* Share and interval by all evidence so far; *samples: how many. What is not known is in the high end alone. */
struct pcomp_share pcomp_search_share(const struct pcomp_search *search, uint32_t index, double *samples);

struct pcomp_search_phase {
    double from_s, to_s; /* the last one: until the end of the slice */
    double value;        /* share in it */
};

/* When: the time in phases, in each of which the share differs clearly from that before and behind it. Slices of time
 * are taken together, those that differ least first, until neighbours are 5 standard deviations and a
 * share of 0.05 apart. Returns how
 * many; 0: the share did not change, or there is no room for all. */
size_t pcomp_search_phases(const struct pcomp_search *search, uint32_t index, struct pcomp_search_phase *phases,
                           size_t room);

struct pcomp_search_cost { /* processor time, seconds */
    double sample;         /* of taking one sample */
    double each;           /* of one hypothesis under test, a sample */
    double budget;         /* share of one processor that all this may take */
    double min;            /* distance of two samples, seconds, that is never gone below */
};

struct pcomp_search_plan {
    double distance;  /* mean distance of two samples, seconds */
    uint32_t breadth; /* hypotheses tested at a time: 1 at least */
};

/* How much can be afforded: sampling takes half of the budget at most, testing has the rest. */
struct pcomp_search_plan pcomp_search_plan_of(const struct pcomp_search_cost *cost);

#endif
