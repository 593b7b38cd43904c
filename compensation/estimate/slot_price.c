#include "compensation/estimate/slot_price.h"

#include <math.h>

struct pcomp_slot_price pcomp_slot_price(const struct pcomp_slot_price_sources *from)
{
    const double shape = PCOMP_SLOT_PRICE_SHAPE;
    bool sampled = from->seconds > 0 && from->calls > 0;
    double hits = sampled ? from->hits : 0, exposure = sampled ? from->calls / from->seconds : 0;
    double price = (shape + hits) / (shape / from->kernel + exposure);
    double systematic = PCOMP_SLOT_PRICE_ERROR * hits / (shape + hits);
    double lost = from->hooks ? PCOMP_SLOT_PRICE_LOST / price : 0;
    return (struct pcomp_slot_price){price, sqrt(1 / (shape + hits) + systematic * systematic + lost * lost)};
}
