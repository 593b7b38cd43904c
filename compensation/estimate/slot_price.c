#include "compensation/estimate/slot_price.h"

#include "compensation/estimate/count_price.h"

#include <math.h>

struct pcomp_slot_price pcomp_slot_price(const struct pcomp_slot_price_sources *from)
{
    double hits = PCOMP_SLOT_PRICE_FIRST + from->hits;
    struct pcomp_count_price counted =
        pcomp_count_price(&(struct pcomp_count_price_sources){.kernel = from->kernel,
                                                              .slot_seconds = hits * from->seconds,
                                                              .slot_samples = hits,
                                                              .calls = from->calls,
                                                              .windows = from->windows});
    double counting = counted.price * counted.error;
    double lost = from->hooks ? PCOMP_SLOT_PRICE_LOST : PCOMP_SLOT_PRICE_LOST_SLED,
           kept = PCOMP_SLOT_PRICE_KEPT_ERROR * from->kept * from->trip;
    double price = counted.price + PCOMP_SLOT_PRICE_KEPT * from->kept * from->trip;
    return (struct pcomp_slot_price){price, sqrt(counting * counting + lost * lost + kept * kept) / price};
}
