#include "reporters/verify/bare_fit.h"

#include "reporters/calibration_text.h"
#include "reporters/output_file.h"
#include "reporters/verify/sample_statistics.h"

#include <ctype.h>

/* Median of one number of all runs; `member` is its place in struct tree_delta. */
static double median_of(const struct bare_fit_run *runs, size_t count, enum pcomp_variant variant, size_t member)
{
    double values[VERIFY_PAIRS_MOST];
    for (size_t i = 0; i < count; i++)
        values[i] = *(const double *)((const char *)&runs[i].costs[variant] + member);
    return sample_median(values, count);
}

void bare_fit_make(struct bare_fit *fit, const struct verify_pair *pairs, const struct bare_fit_run *runs, size_t count)
{
    static const size_t members[] = {offsetof(struct tree_delta, own),
                                     offsetof(struct tree_delta, descendant),
                                     offsetof(struct tree_delta, direct),
                                     offsetof(struct tree_delta, own_spread),
                                     offsetof(struct tree_delta, descendant_spread),
                                     offsetof(struct tree_delta, direct_spread)};
    double bare[VERIFY_PAIRS_MOST];
    *fit = (struct bare_fit){.known = {false}};
    for (int variant = 0; variant < PCOMP_VARIANT_BARE; variant++) {
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            *(double *)((char *)&fit->costs[variant] + members[i]) = median_of(runs, count, variant, members[i]);
        fit->known[variant] = fit->costs[variant].own != 0 || fit->costs[variant].descendant != 0;
    }
    for (size_t i = 0; i < count; i++)
        bare[i] = runs[i].costs[PCOMP_VARIANT_BARE].descendant +
                  (pairs[i].compensated - pairs[i].plain) / (double)pairs[i].calls;
    fit->costs[PCOMP_VARIANT_BARE] = (struct tree_delta){.descendant = sample_median(bare, count),
                                                         .descendant_spread = sample_deviation(bare, count)};
    fit->known[PCOMP_VARIANT_BARE] = true;
}

bool bare_fit_write(const struct bare_fit *fit, const char *path, const char *clock, const char *command, size_t count)
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
