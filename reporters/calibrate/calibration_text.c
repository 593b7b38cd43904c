#include "reporters/calibrate/calibration_text.h"

void calibration_text_begin(FILE *out, const char *clock)
{
    fprintf(out, "pcomp-calibration 1\nclock %s\n", clock);
}

void calibration_text_variant(FILE *out, enum pcomp_variant variant, const struct tree_delta *costs)
{
    static const char *const names[PCOMP_VARIANTS] = {"repeat", "lookup", "skip"};
    fprintf(
        out,
        "variant %s own %.6f descendant %.6f direct %.6f own_spread %.6f descendant_spread %.6f direct_spread %.6f\n",
        names[variant], costs->own, costs->descendant, costs->direct, costs->own_spread, costs->descendant_spread,
        costs->direct_spread);
}
