/* What the calls of a profile cost that no event tells of: a call counted in place, and sites as no-ops, of functions
 * that are called too often to be timed. */
#ifndef PCOMP_PROFILE_SITES_H
#define PCOMP_PROFILE_SITES_H

#include "reporters/profile/profile_file.h"

struct profile_count_price { /* of a call counted in place */
    double ns;               /* 0: not known */
    double error;            /* half-width of the 95 % interval, relative */
    double unit;             /* pcomp_site_unit, ns */
};

struct profile_count_price profile_count_price(const struct profile_file *f);

/* What sites cost as no-ops; standard deviations are relative. All 0: nothing is known of it, or there are none. */
struct profile_site_cost {
    double call, call_deviation;   /* ns, of a call that was counted in place */
    double share, share_deviation; /* of calls that were not: part of the process's own processor time */
};

/* Of the whole process, as the profile tells. Files of before do not tell the own time. */
struct profile_site_cost profile_site_cost(const struct profile_file *f);

#endif
