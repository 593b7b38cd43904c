/* The samples of the program counter in a profile (PCOMP_CHUNK_SAMPLES): whose they are. */
#ifndef PCOMP_SAMPLE_PLACES_H
#define PCOMP_SAMPLE_PLACES_H

#include "reporters/profile_file.h"

struct sample_place {
    uint32_t thread, function; /* its index (struct pcomp_thread); id in the file, or SAMPLE_OF_NONE, SAMPLE_APART */
    double count;
    double at_sites; /* of these, so many at calls of hooks that are off */
};

/* In no function that the profile knows; taken while hooks were on. */
enum { SAMPLE_OF_NONE = UINT32_MAX, SAMPLE_APART = UINT32_MAX - 1 };

struct sample_places {
    struct sample_place *items; /* one for each thread and function, sorted by thread */
    size_t count;
    const char *unknown; /* a module that has no debug information, by which inlined functions are told apart; NULL:
                            none, and the samples can be used. Lives as long as the file */
};

/* symbols: look into the modules; else all samples are of no function. False: out of memory. */
bool sample_places_find(const struct profile_file *file, bool symbols, struct sample_places *places);
void sample_places_free(struct sample_places *places);

/* Those of one thread: the first, and how many. */
const struct sample_place *sample_places_of(const struct sample_places *places, uint32_t thread, size_t *count);

#endif
