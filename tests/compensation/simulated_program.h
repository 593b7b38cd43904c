/* A program of functions that are called at known rates, in phases, and what probes on it cost: for the simulation of
 * levels, windows and estimators. Fluid: calls are real numbers, rates are steady within a phase, and scatter. */
#ifndef PCOMP_TEST_SIMULATED_PROGRAM_H
#define PCOMP_TEST_SIMULATED_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define SIMULATED_FUNCTIONS 200
#define SIMULATED_PHASES    3

struct simulated_program {
    uint64_t random;
    uint32_t functions, phases;
    double length;                                      /* of the whole run, own seconds */
    double phase[SIMULATED_PHASES];                     /* own seconds of each, repeated */
    double rate[SIMULATED_PHASES][SIMULATED_FUNCTIONS]; /* calls a second of its own time */
    double scatter;                                     /* relative, of the calls in a millisecond */
    /* state */
    uint32_t now;     /* phase */
    double left;      /* of the phase */
    double own, wall; /* seconds */
    double calls[SIMULATED_FUNCTIONS];
};

/* A program at random: 1 to 200 functions of 1 to 1e9 calls a second (1.5e9 in all), one to three phases of 10 to
 * 300 ms, 5 ms to 10 s. */
void simulated_program_draw(struct simulated_program *program, uint64_t seed);

/* Runs for so many seconds of wall time, or to its end; price[i]: what a call of the i-th function costs besides.
 * Returns the seconds of wall time. */
double simulated_program_run(struct simulated_program *program, double wall, const double *price);

bool simulated_program_ended(const struct simulated_program *program);

/* Uniform, low to high; and uniform of the logarithm. */
double simulated_uniform(uint64_t *random, double low, double high);
double simulated_magnitude(uint64_t *random, double low, double high);

#endif
