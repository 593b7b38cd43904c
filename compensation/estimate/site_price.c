#include "compensation/estimate/site_price.h"

double pcomp_site_unit(double counted, double kernel)
{
    double max = PCOMP_SITE_KERNEL_MAX * kernel;
    return kernel > 0 && counted > max ? max : counted;
}

struct pcomp_site_price pcomp_site_price(bool sleds, double calls, double time, double counted)
{
    double unit = counted > 0 ? counted : PCOMP_SITE_COUNTED;
    if (sleds)
        return (struct pcomp_site_price){PCOMP_SITE_SLED * unit, PCOMP_SITE_SLED * unit, PCOMP_SITE_SLED_ERROR};
    double seldom = PCOMP_SITE_HOOK * unit, overlap = calls > 0 && time > 0 ? 1 + seldom * calls / time : 1;
    return (struct pcomp_site_price){seldom / overlap, seldom / (overlap * overlap), PCOMP_SITE_HOOK_ERROR};
}
