#include "tests/compensation/simulated_program.h"

#include "tests/compensation/prng.h"

#include <math.h>

#define CALLS_MAX 1.5e9 /* a second */

double simulated_uniform(uint64_t *random, double low, double high)
{
    return low + (high - low) * ((double)(prng_next(random) >> 11) / 9007199254740992.0);
}

double simulated_magnitude(uint64_t *random, double low, double high)
{
    return low * pow(high / low, simulated_uniform(random, 0, 1));
}

static void draw_rates(struct simulated_program *p, double *rate)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->functions; i++) {
        rate[i] = prng_below(&p->random, 5) ? simulated_magnitude(&p->random, 1, 1e9) : 0;
        sum += rate[i];
    }
    for (uint32_t i = 0; i < p->functions && sum > CALLS_MAX; i++)
        rate[i] *= CALLS_MAX / sum;
}

void simulated_program_draw(struct simulated_program *p, uint64_t seed)
{
    p->random = seed;
    p->functions = (uint32_t)simulated_magnitude(&p->random, 1, SIMULATED_FUNCTIONS + 1);
    p->phases = 1 + (uint32_t)prng_below(&p->random, SIMULATED_PHASES);
    p->length = simulated_magnitude(&p->random, 0.005, 10);
    p->scatter = prng_below(&p->random, 2) ? simulated_magnitude(&p->random, 0.001, 0.5) : 0.02;
    for (uint32_t k = 0; k < p->phases; k++) {
        p->phase[k] = simulated_magnitude(&p->random, 0.01, 0.3);
        draw_rates(p, p->rate[k]);
        for (uint32_t i = 0; k > 0 && i < p->functions; i++) /* some do not change */
            if (prng_below(&p->random, 3) == 0)
                p->rate[k][i] = p->rate[0][i];
    }
    p->now = (uint32_t)prng_below(&p->random, p->phases);
    p->left = simulated_uniform(&p->random, 0, p->phase[p->now]);
    p->own = p->wall = 0;
    for (uint32_t i = 0; i < p->functions; i++)
        p->calls[i] = 0;
}

bool simulated_program_ended(const struct simulated_program *p)
{
    return p->own >= p->length - 1e-12;
}

/* Calls of a function in so many of its seconds: what they scatter by is independent from one moment to another. */
static double calls_in(struct simulated_program *p, double rate, double seconds)
{
    double mean = rate * seconds;
    if (!(mean > 0))
        return 0;
    double spread = sqrt(mean + mean * rate * p->scatter * p->scatter * 0.001);
    return fmax(0, mean + spread * prng_normal(&p->random));
}

double simulated_program_run(struct simulated_program *p, double wall, const double *price)
{
    double passed = 0;
    while (passed < wall && !simulated_program_ended(p)) {
        const double *rate = p->rate[p->now];
        double dilation = 1, overhead = 0;
        for (uint32_t i = 0; i < p->functions; i++)
            dilation += rate[i] * price[i];
        double step = fmin(fmin((wall - passed) / dilation, p->left), p->length - p->own);
        for (uint32_t i = 0; i < p->functions; i++) {
            double calls = calls_in(p, rate[i], step);
            p->calls[i] += calls;
            overhead += calls * price[i];
        }
        p->own += step;
        p->left -= step;
        passed += step + overhead;
        if (p->left <= 1e-12) {
            p->now = (p->now + 1) % p->phases;
            p->left = p->phase[p->now];
        } else if (wall - passed < 1e-7) {
            break;
        }
    }
    p->wall += passed;
    return passed;
}
