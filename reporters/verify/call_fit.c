#include "reporters/verify/call_fit.h"

#include "reporters/base/output_file.h"
#include "reporters/calibrate/calibration_text.h"
#include "reporters/verify/sample_statistics.h"

#include <ctype.h>

enum { PARTS = 6 };

static const double *part_of(const struct tree_delta *costs, int part)
{
    const double *const parts[PARTS] = {&costs->own,        &costs->descendant,        &costs->direct,
                                        &costs->own_spread, &costs->descendant_spread, &costs->direct_spread};
    return parts[part];
}

static double median_of(const struct call_fit_run *runs, size_t count, int variant, int part)
{
    double values[VERIFY_PAIRS_MAX];
    for (size_t i = 0; i < count; i++)
        values[i] = *part_of(&runs[i].costs[variant], part);
    return sample_median(values, count);
}

void call_fit_make(struct call_fit *fit, const struct verify_pair *pairs, const struct call_fit_run *runs, size_t count)
{
    double whole[VERIFY_PAIRS_MAX];
    *fit = (struct call_fit){.known = {false}};
    for (int variant = 0; variant < PCOMP_VARIANTS; variant++) {
        double medians[PARTS];
        for (int part = 0; part < PARTS; part++)
            medians[part] = median_of(runs, count, variant, part);
        fit->costs[variant] =
            (struct tree_delta){medians[0], medians[1], medians[2], medians[3], medians[4], medians[5]};
        fit->known[variant] = fit->costs[variant].own != 0 || fit->costs[variant].descendant != 0;
    }
    for (int variant = PCOMP_VARIANT_REPEAT; variant <= PCOMP_VARIANT_LOOKUP; variant++) {
        for (size_t i = 0; i < count; i++)
            whole[i] =
                runs[i].costs[variant].descendant + (pairs[i].compensated - pairs[i].plain) / (double)pairs[i].calls;
        fit->costs[variant].descendant = sample_median(whole, count);
        fit->costs[variant].descendant_spread = sample_deviation(whole, count);
    }
}

bool call_fit_write(const struct call_fit *fit, const char *path, const char *clock, const char *command, size_t count)
{
    struct output_file file;
    if (!output_file_open(&file, path))
        return false;
    calibration_text_begin(file.stream, clock);
    for (int variant = 0; variant < PCOMP_VARIANTS; variant++)
        if (fit->known[variant])
            calibration_text_variant(file.stream, variant, &fit->costs[variant]);
    fprintf(file.stream, "fitted %zu run%s of ", count, count == 1 ? "" : "s");
    for (; *command; command++) /* one line, whatever the command has in it */
        putc(iscntrl((unsigned char)*command) ? ' ' : *command, file.stream);
    putc('\n', file.stream);
    return output_file_close(&file, true);
}
