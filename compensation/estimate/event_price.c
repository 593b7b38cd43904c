#include "compensation/estimate/event_price.h"

struct pcomp_event_price pcomp_event_price(const struct pcomp_event_price_sources *from)
{
    const double shape = PCOMP_EVENT_PRICE_SHAPE;
    if (!(from->loop > 0) || !(from->seconds > 0) || !(from->events > 0) || !(from->hits >= 0))
        return (struct pcomp_event_price){0, 0};
    double known = shape + from->hits, price = known / (shape / from->loop + from->events / from->seconds),
           systematic = PCOMP_EVENT_PRICE_ERROR * from->hits / known;
    return (struct pcomp_event_price){price - from->loop, price * __builtin_sqrt(1 / known + systematic * systematic)};
}
