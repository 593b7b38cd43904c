#include "profiler/control/speed.h"

#include "compensation/estimate/steadiness.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/store.h"

#define STEPS   1200 /* 0.8 to 1.6 µs */
#define PUBLISH 16u  /* values from one time that the header is written to the next */
#define FAR     3    /* times the least: something came in between */

static struct pcomp_steadiness steadiness;
static unsigned since;

void speed_start(void)
{
    steadiness = (struct pcomp_steadiness){0};
    since = 0;
}

/* Work for all ports: what another program on the same core takes away shows. */
static uint64_t work(uint64_t a)
{
    uint64_t b = a + 1, c = a + 2, d = a + 3;
    for (uint64_t i = 0; i < STEPS; i++) {
        a = a * 5 + i;
        b = (b ^ i) + (b >> 3);
        c += b & 7;
        d = (d << 1) ^ i;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
    return a ^ b ^ c ^ d;
}

void speed_time(void)
{
    uint64_t took = 0;
    /* The second time that the very same instructions run: none of them is fetched from memory meanwhile, as it would
     * be where the program uses the caches for itself. */
    for (int i = 0; i < 2; i++) {
        uint64_t begin = clock_read_in_order(config.clock);
        work(begin);
        took = clock_read_in_order(config.clock) - begin;
        __asm__ volatile("" : "+r"(i));
    }
    if (steadiness.values > 0 && (double)took > FAR * steadiness.best)
        return;
    pcomp_steadiness_add(&steadiness, (double)took);
    if (++since % PUBLISH == 0)
        store_header->speed_lost = pcomp_steadiness_lost(&steadiness);
}
