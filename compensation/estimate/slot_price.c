#include "compensation/estimate/slot_price.h"

#include "compensation/estimate/count_price.h"

#include <math.h>

struct pcomp_slot_price pcomp_slot_price(const struct pcomp_slot_price_sources *from)
{
    const double shape = PCOMP_SLOT_PRICE_SHAPE;
    bool sampled = from->seconds > 0 && from->calls > 0;
    double hits = sampled ? from->hits : 0, exposure = sampled ? from->calls / from->seconds : 0;
    double price = PCOMP_SLOT_PRICE_PART * (shape + hits) / (shape / from->kernel + exposure);
    double systematic = PCOMP_SLOT_PRICE_ERROR * hits / (shape + hits);
    struct pcomp_count_price counted = pcomp_count_price_with(
        (struct pcomp_count_price){price, sqrt(1 / (shape + hits) + systematic * systematic)}, &from->pairs);
    price = counted.price;
    double counting = price * counted.error;
    double lost = from->hooks ? PCOMP_SLOT_PRICE_LOST : PCOMP_SLOT_PRICE_LOST_SLED,
           kept = PCOMP_SLOT_PRICE_KEPT_ERROR * from->kept * from->trip;
    price += PCOMP_SLOT_PRICE_KEPT * from->kept * from->trip;
    return (struct pcomp_slot_price){price, sqrt(counting * counting + lost * lost + kept * kept) / price};
}
