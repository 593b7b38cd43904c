/* The communication model on tables and lines that are known, and with noise. */
#include "compensation/cost/comm_model.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct comm_model known = {
    .eager = {.start = 1000, .per_byte = 0.5},
    .rendezvous = {.start = 9000, .per_byte = 0.25},
    .threshold = 16384,
    .copies = 3,
    .copy = {{.bytes = 64, .time = 20}, {.bytes = 1024, .time = 100}, {.bytes = 65536, .time = 8000}},
};

#define expect_near(value, expected, relative)                                                                         \
    cr_expect(fabs((value) - (expected)) <= (relative) * (expected), "%g, expected %g", (double)(value),               \
              (double)(expected))

Test(comm_model, nothing_known_costs_nothing)
{
    struct comm_model empty = {.threshold = 0};

    cr_expect_eq(comm_time(&empty, 1 << 20), 0);
    cr_expect_eq(comm_copy_time(&empty, 1 << 20), 0);
    cr_expect_not(comm_is_known(&empty));
    cr_expect(comm_is_known(&known));
    cr_expect(comm_is_known(&(struct comm_model){.rendezvous = {.per_byte = 0.5}}));
}

Test(comm_model, time_is_on_the_line_of_the_protocol)
{
    cr_expect_eq(comm_time(&known, 0), 1000);
    cr_expect_eq(comm_time(&known, 16383), 1000 + 16383 / 2.0);
    cr_expect_eq(comm_time(&known, 16384), 9000 + 4096);
}

Test(comm_model, copy_time_is_read_between_the_sizes)
{
    cr_expect_eq(comm_copy_time(&known, 0), 20);
    cr_expect_eq(comm_copy_time(&known, 64), 20);
    cr_expect_eq(comm_copy_time(&known, 544), 60);
    cr_expect_eq(comm_copy_time(&known, 1024), 100);
    expect_near(comm_copy_time(&known, (1024 + 65536) / 2), 4050, 1e-12);
    cr_expect_eq(comm_copy_time(&known, 2 * 65536), 16000);
}

static size_t samples_of(const struct comm_model *model, struct comm_sample *samples, uint64_t *random, double noise)
{
    size_t count = 0;

    for (uint64_t bytes = 1; bytes <= 4u << 20; bytes *= 2) {
        for (int repeat = 0; repeat < 5; repeat++) {
            double time = comm_time(model, bytes);

            samples[count++] = (struct comm_sample){bytes, time * (1 + noise * prng_normal(random))};
        }
    }
    return count;
}

Test(comm_model, fit_returns_the_lines_and_the_break)
{
    struct comm_sample samples[200];
    struct comm_model fitted = {.copies = 1};
    uint64_t random = 1;
    size_t count = samples_of(&known, samples, &random, 0);

    cr_assert(comm_fit(&fitted, samples, count, NULL));
    cr_expect_eq(fitted.threshold, 16384);
    cr_expect_eq(fitted.copies, 1, "the table is the caller's");
    expect_near(fitted.eager.start, 1000, 1e-6);
    expect_near(fitted.eager.per_byte, 0.5, 1e-6);
    expect_near(fitted.rendezvous.start, 9000, 1e-6);
    expect_near(fitted.rendezvous.per_byte, 0.25, 1e-6);
    cr_expect_lt(fitted.eager.residual, 1e-3);
}

Test(comm_model, fit_of_one_protocol_has_no_break)
{
    struct comm_model line = {.eager = {.start = 700, .per_byte = 1.5}}, fitted = {0};
    struct comm_sample samples[200];

    for (uint64_t seed = 0; seed < 50; seed++) {
        uint64_t random = seed;
        size_t count = samples_of(&line, samples, &random, seed % 2 ? 0.03 : 0);

        cr_assert(comm_fit(&fitted, samples, count, NULL));
        cr_expect_eq(fitted.threshold, 0, "seed %llu: %llu", (unsigned long long)seed,
                     (unsigned long long)fitted.threshold);
        expect_near(fitted.eager.start, 700, 0.05);
        expect_near(fitted.eager.per_byte, 1.5, 0.05);
    }
}

Test(comm_model, fit_stands_noise)
{
    struct comm_sample samples[200];
    struct comm_model fitted = {0};

    for (uint64_t seed = 0; seed < 50; seed++) {
        uint64_t random = seed;
        size_t count = samples_of(&known, samples, &random, 0.03);

        cr_assert(comm_fit(&fitted, samples, count, NULL));
        expect_near(comm_time(&fitted, 16), comm_time(&known, 16), 0.05);
        expect_near(comm_time(&fitted, 1 << 20), comm_time(&known, 1 << 20), 0.05);
        cr_expect_gt(fitted.rendezvous.residual, 0);
    }
}

Test(comm_model, fit_believes_what_was_seen_to_block)
{
    struct comm_sample samples[200];
    uint8_t blocks[200];
    struct comm_model line = {.eager = {.start = 700, .per_byte = 1.5}}, fitted = {0};
    uint64_t random = 1;
    size_t count = samples_of(&line, samples, &random, 0.01);

    for (size_t i = 0; i < count; i++)
        blocks[i] = samples[i].bytes >= 65536;
    blocks[3] = 1; /* one small send that happened to wait */
    cr_assert(comm_fit(&fitted, samples, count, blocks));
    cr_expect_eq(fitted.threshold, 65536);
}

/* One measurement in ten took three times as long: the break stays where it is, inside its interval. */
Test(comm_model, fit_stands_disturbed_samples)
{
    struct comm_sample samples[200];
    struct comm_model fitted = {0};
    uint32_t found = 0, covered = 0;

    for (uint64_t seed = 0; seed < 100; seed++) {
        uint64_t random = seed;
        size_t count = samples_of(&known, samples, &random, 0.02);

        for (size_t i = 0; i < count; i++)
            samples[i].time *= prng_below(&random, 10) ? 1 : 3;
        cr_assert(comm_fit(&fitted, samples, count, NULL));
        found += fitted.threshold >= 8192 && fitted.threshold <= 16384;
        covered += fitted.threshold_min <= 16384 && fitted.threshold_max >= 16384;
        cr_expect_leq(fitted.threshold_min, fitted.threshold);
        cr_expect_geq(fitted.threshold_max, fitted.threshold);
    }
    cr_expect_geq(found, 95, "%u of 100", found);
    cr_expect_geq(covered, 95, "%u of 100", covered);
}

/* What was seen of the sends themselves leaves only the sizes between two that were tried. */
Test(comm_model, interval_of_what_was_seen_is_between_two_sizes)
{
    struct comm_sample samples[200];
    uint8_t blocks[200];
    struct comm_model fitted = {0};
    uint64_t random = 1;
    size_t count = samples_of(&known, samples, &random, 0.1);

    for (size_t i = 0; i < count; i++)
        blocks[i] = samples[i].bytes >= 16384;
    cr_assert(comm_fit(&fitted, samples, count, blocks));
    cr_expect_eq(fitted.threshold, 16384);
    cr_expect_eq(fitted.threshold_min, 8193);
    cr_expect_eq(fitted.threshold_max, 16384);
}

Test(comm_model, fit_needs_two_sizes)
{
    struct comm_sample samples[] = {{8, 100}, {8, 101}, {16, 0}};
    struct comm_model fitted = {.threshold = 5};

    cr_expect_not(comm_fit(&fitted, samples, 3, NULL), "a time of 0 is no sample");
    cr_expect_not(comm_fit(&fitted, samples, 0, NULL));
    cr_expect_eq(fitted.threshold, 5, "left alone");
}

Test(comm_model, fit_is_never_negative)
{
    struct comm_sample falling[] = {{8, 100}, {16, 90}, {32, 80}}, steep[] = {{8, 1}, {16, 100}, {32, 300}};
    struct comm_model fitted = {0};

    cr_assert(comm_fit(&fitted, falling, 3, NULL));
    cr_expect_eq(fitted.eager.per_byte, 0);
    cr_expect_gt(fitted.eager.start, 0);
    cr_assert(comm_fit(&fitted, steep, 3, NULL));
    cr_expect_eq(fitted.eager.start, 0);
    cr_expect_gt(fitted.eager.per_byte, 0);
}
