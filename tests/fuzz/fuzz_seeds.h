/* Whole, small profile files of every kind, to start fuzzing from. */
#ifndef PCOMP_FUZZ_SEEDS_H
#define PCOMP_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_SEEDS 10

/* Seed number i (< FUZZ_SEEDS), to be freed. */
uint8_t *fuzz_seed(unsigned i, size_t *size);

#endif
