#include "reporters/verify/verify_total.h"

#include <math.h>

enum value { PLAIN, RAW, COMPENSATED, DILATION, COMPENSATED_RATIO, CALLS, ERROR_PER_CALL, UNCERTAINTY };

static double value_of(const struct verify_pair *pair, enum value value)
{
    switch (value) {
    case PLAIN:
        return pair->plain;
    case RAW:
        return pair->raw;
    case COMPENSATED:
        return pair->compensated;
    case DILATION:
        return pair->raw / pair->plain;
    case COMPENSATED_RATIO:
        return pair->compensated / pair->plain;
    case CALLS:
        return (double)pair->calls;
    case ERROR_PER_CALL:
        return (pair->compensated - pair->plain) / (double)pair->calls;
    case UNCERTAINTY:
        return pair->uncertainty;
    }
    return NAN;
}

static struct verify_quantity quantity(const struct verify_pair *pairs, size_t count, enum value value)
{
    double values[VERIFY_PAIRS_MAX];
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(&pairs[i], value);
    return (struct verify_quantity){sample_median_interval(values, count), sample_spread(values, count)};
}

static struct sample_interval less_one(struct sample_interval ratio)
{
    return (struct sample_interval){ratio.value - 1, ratio.low - 1, ratio.high - 1};
}

void verify_total_make(struct verify_total *total, const struct verify_pair *pairs, size_t count)
{
    *total = (struct verify_total){
        .runs = count,
        .plain = quantity(pairs, count, PLAIN),
        .raw = quantity(pairs, count, RAW),
        .compensated = quantity(pairs, count, COMPENSATED),
        .dilation = quantity(pairs, count, DILATION).time,
        .raw_error = less_one(quantity(pairs, count, DILATION).time),
        .compensated_error = less_one(quantity(pairs, count, COMPENSATED_RATIO).time),
        .calls = (uint64_t)quantity(pairs, count, CALLS).time.value,
        .error_ns_per_call = quantity(pairs, count, ERROR_PER_CALL).time.value,
    };
    double truth = total->plain.time.value;
    total->half_width = quantity(pairs, count, UNCERTAINTY).time.value / truth;
    for (size_t i = 0; i < count; i++)
        total->inside += fabs(pairs[i].compensated - truth) <= pairs[i].uncertainty;
}
