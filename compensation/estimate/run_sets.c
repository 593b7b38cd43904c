#include "compensation/estimate/run_sets.h"

#include "compensation/numeric/student_tail.h"
#include "compensation/numeric/t_quantile.h"

#include <math.h>
#include <stdlib.h>

static double square(double x)
{
    return x * x;
}

/* Half-width of the 95 % interval of a normal value, from its standard deviation and the degrees of freedom of that. */
static double half_width(double deviation, double degrees)
{
    return deviation > 0 ? deviation * (isfinite(degrees) ? pcomp_t_quantile(degrees) : PCOMP_NORMAL_95) : 0;
}

/* Variance of the mean of n runs that follow each other, n > 1, from the scatter of one. */
static double variance_of_mean(double scatter, double n)
{
    double alike = 1, power = 1;
    for (double k = 1; k < n && power > 1e-6; k++) {
        power *= PCOMP_RUN_CORRELATION;
        alike += 2 * (1 - k / n) * power;
    }
    return square(scatter) / n * alike * (n - 1) / (n - alike);
}

struct pcomp_run_set pcomp_run_set_of(const struct pcomp_run *runs, size_t count)
{
    struct pcomp_run_set set = {.mean = NAN, .calls = NAN, .scatter = NAN, .uncertainty = NAN};
    double sum = 0, calls = 0, own = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(runs[i].value))
            continue;
        set.runs++;
        sum += runs[i].value;
        calls += runs[i].calls;
        own += isnan(runs[i].uncertainty) ? 0 : square(runs[i].uncertainty / PCOMP_NORMAL_95);
    }
    if (!set.runs)
        return set;
    double n = (double)set.runs;
    set.mean = sum / n;
    set.calls = calls / n;
    set.stated = sqrt(own / n);
    if (set.runs < 2) {
        set.uncertainty = PCOMP_NORMAL_95 * set.stated;
        return set;
    }
    for (size_t i = 0; i < count; i++)
        squares += isnan(runs[i].value) ? 0 : square(runs[i].value - set.mean);
    set.scatter = sqrt(squares / (n - 1));
    set.shared = sqrt(fmax(0, square(set.stated) - square(set.scatter)));
    set.uncertainty = hypot(half_width(sqrt(variance_of_mean(set.scatter, n)), n - 1), PCOMP_NORMAL_95 * set.shared);
    return set;
}

/* --- Two sets ----------------------------------------------------------------------------------------------------- */

static size_t begun_at(const uint64_t *begins, size_t count, uint64_t time)
{
    size_t begun = 0;
    for (size_t i = 0; i < count; i++)
        begun += begins[i] <= time;
    return begun;
}

bool pcomp_runs_in_turns(const uint64_t *begins, size_t before, size_t count)
{
    size_t after = count - before;
    if (before < 2 || after < 2 || before > after + 1 || after > before + 1)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t a = begun_at(begins, before, begins[i]), b = begun_at(begins + before, after, begins[i]);
        bool alone =
            a + b == begun_at(begins, before, begins[i] - 1) + begun_at(begins + before, after, begins[i] - 1) + 1;
        if (!begins[i] || !alone || a > b + 1 || b > a + 1)
            return false;
    }
    return true;
}

/* Variance of the mean, and degrees of freedom of it. `other` lends its scatter to a set of one run. */
static double mean_variance(const struct pcomp_run_set *set, const struct pcomp_run_set *other, bool in_turns,
                            double *degrees)
{
    *degrees = INFINITY;
    if (set->runs > 1) {
        *degrees = (double)set->runs - 1;
        double n = (double)set->runs;
        return in_turns ? square(set->scatter) / n : variance_of_mean(set->scatter, n);
    }
    if (other->runs < 2)
        return square(set->stated);
    *degrees = (double)other->runs - 1;
    return square(other->scatter);
}

struct pcomp_set_difference pcomp_run_sets_compare(const struct pcomp_run_set *before,
                                                   const struct pcomp_run_set *after, bool in_turns)
{
    struct pcomp_set_difference difference = {NAN, NAN, NAN};
    if (!before->runs || !after->runs)
        return difference;
    double degrees[2], v = mean_variance(before, after, in_turns, &degrees[0]);
    double w = mean_variance(after, before, in_turns, &degrees[1]);
    double calls = fmax(before->calls, after->calls), shared = fmax(before->shared, after->shared);
    shared *= calls > 0 ? fabs(after->calls - before->calls) / calls : 1;
    double variance = v + w + square(shared);
    bool lent = (before->runs == 1) != (after->runs == 1); /* both variances are then one estimate */
    double weight =
        lent ? square(v + w) / fmin(degrees[0], degrees[1]) : square(v) / degrees[0] + square(w) / degrees[1];
    double all = weight > 0 ? square(v + w) / weight : INFINITY;
    difference.change = after->mean - before->mean;
    difference.uncertainty = half_width(sqrt(variance), all);
    if (variance > 0)
        difference.p = pcomp_student_tail(difference.change / sqrt(variance), all);
    else
        difference.p = difference.change == 0 ? 1 : 0;
    return difference;
}

/* --- Many tests --------------------------------------------------------------------------------------------------- */

static int by_p(const void *a, const void *b)
{
    double x = ((const struct pcomp_test *)a)->p, y = ((const struct pcomp_test *)b)->p;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static int by_index(const void *a, const void *b)
{
    size_t x = ((const struct pcomp_test *)a)->index, y = ((const struct pcomp_test *)b)->index;
    return (x > y) - (x < y);
}

void pcomp_tests_adjust(struct pcomp_test *tests, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        tests[i].index = i;
        tests[i].adjusted = NAN;
        known += !isnan(tests[i].p);
    }
    if (!known)
        return;
    qsort(tests, count, sizeof *tests, by_p); /* those without a test last */
    double min = 1;
    for (size_t i = known; i-- > 0;) {
        min = fmin(min, tests[i].p * (double)known / (double)(i + 1));
        tests[i].adjusted = min;
    }
    qsort(tests, count, sizeof *tests, by_index);
}
