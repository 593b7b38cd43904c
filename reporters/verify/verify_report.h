/* What `pcomp verify` found, in one document. */
#ifndef PCOMP_VERIFY_REPORT_H
#define PCOMP_VERIFY_REPORT_H

#include "reporters/verify/sampled_truth.h"
#include "reporters/verify/verify_total.h"

struct verify_distribution {
    struct share_table table;
    struct sampled_truth truth;
    struct share_distances distances;
};

struct verify_fit {
    const char *file;
    double call, spread;       /* ns a call; standard deviation over the runs */
    struct verify_total total; /* of the pairs that were held out, run with the file */
};

struct verify_findings {
    const char *plain, *instrumented; /* the commands */
    char mode[32];                    /* of the profiles */
    const char *model;
    struct verify_total total;                      /* with a fit: of the pairs that it was made from */
    const struct verify_distribution *distribution; /* NULL: not asked for, also below */
    const struct verify_fit *fit;
};

/* Writes the findings to stdout in a format of enum emit_format. Returns an exit status. */
int verify_report(const struct verify_findings *findings, int format);

#endif
