#include "compensation/estimate/site_price.h"

struct pcomp_site_price pcomp_site_price(bool sleds, double calls, double time)
{
    if (sleds)
        return (struct pcomp_site_price){PCOMP_SITE_SLED, PCOMP_SITE_SLED, PCOMP_SITE_SLED_ERROR};
    double overlap = calls > 0 && time > 0 ? 1 + PCOMP_SITE_HOOK * calls / time : 1;
    return (struct pcomp_site_price){PCOMP_SITE_HOOK / overlap, PCOMP_SITE_HOOK / (overlap * overlap),
                                     PCOMP_SITE_HOOK_ERROR};
}
