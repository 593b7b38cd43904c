/* Levels of functions: which functions are timed, counted or sampled from now on, by how often they were called.
 *
 *   timed ──────────────▶ counted ◀────────────────▶ sampled
 *   every call timed      every call counted         calls counted in windows only (window_plan.h)
 *          for good              few times, with hysteresis
 *
 * Timed to counted. A function of `burst` calls and `rate` a second stays timed under every limit; less, where all
 * timed calls together would cost more than PCOMP_LEVEL_SHARE of the time.
 *
 * Counted to sampled. The cost of the counted calls is paid from a balance (token bucket): PCOMP_LEVEL_MARGIN of
 * `limit` of the time flows in, what timed and counted calls, samples and windows cost flows out. The balance begins
 * with PCOMP_LEVEL_SAVED seconds' worth, so that runs of milliseconds keep exact counts, and never exceeds that: a
 * second costs the limit, that, and what passes until the next look. Functions fall where the balance would not last
 * PCOMP_LEVEL_AHEAD seconds of the present rate: the hottest ones, until the rest costs what the limit leaves.
 *
 * Sampled to counted. A function returns where all counted calls with its own would have cost PCOMP_LEVEL_WIDE of what
 * the limit leaves, all through PCOMP_LEVEL_CALM seconds; four times as long after each return, and PCOMP_LEVEL_RETURNS
 * times at most.
 *
 * Between two looks a program can spend all of its time on overhead: `next` says how soon to look again.
 *
 * Shares and rates are of the program's own processor time. Pure arithmetic in double precision; state in the caller's
 * structs; not thread-safe for one machine. */
#ifndef PCOMP_LEVEL_MACHINE_H
#define PCOMP_LEVEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum pcomp_level { PCOMP_LEVEL_TIMED, PCOMP_LEVEL_COUNTED, PCOMP_LEVEL_SAMPLED };

#define PCOMP_LEVEL_RATE        1000.0  /* of a profile: calls a second that a function may have and stay timed */
#define PCOMP_LEVEL_BURST       200.0   /* ... and calls that it may have besides, at any time */
#define PCOMP_LEVEL_TRACE_RATE  10000.0 /* the same of a trace, where a call is recorded: 320 KB a second ... */
#define PCOMP_LEVEL_TRACE_BURST 2000.0
#define PCOMP_LEVEL_SHARE       0.01   /* of the time that all timed calls together may cost ... */
#define PCOMP_LEVEL_START       0.0005 /* ... and seconds besides */
#define PCOMP_LEVEL_REST        0.25 /* of that, for functions that have not fallen, whatever those that fell have cost */

#define PCOMP_LEVEL_LIMIT       0.1   /* default limit of a profile, share of the program's own time */
#define PCOMP_LEVEL_TRACE_LIMIT 0.05  /* of a trace: times are what it is for */
#define PCOMP_LEVEL_MARGIN      0.65  /* of the limit that may be spent: not all that measuring costs is priced */
#define PCOMP_LEVEL_FLOOR       0.1   /* of the limit that counted calls may always cost */
#define PCOMP_LEVEL_SITES       0.3   /* of the limit that sites may take away while they are off */
#define PCOMP_LEVEL_FIRST       0.001 /* seconds that can be saved, under the least limits */
#define PCOMP_LEVEL_SAVED       0.1   /* seconds of which the limit can be saved */
#define PCOMP_LEVEL_AHEAD       0.01  /* seconds */
#define PCOMP_LEVEL_WIDE        0.5   /* of what the limit leaves */
#define PCOMP_LEVEL_CALM        0.5   /* seconds, before the first return */
#define PCOMP_LEVEL_RETURNS     3     /* returns of one function */

/* State of a function; zeroed by the caller before the first look that knows the function. Owned by pcomp_levels_poll.
 */
struct pcomp_level_function {
    uint64_t calls_before; /* at the last look */
    float rate;            /* mean of the last tenth of a second or so, calls a second */
    float last;            /* mean between the last two looks, calls a second */
    float calm;            /* seconds for which the function would have fitted among the counted ones */
    uint8_t returns;
};

/* State of the machine; zeroed before the first look. `next` may be read between looks, the rest is owned by
 * pcomp_levels_poll. */
struct pcomp_level_machine {
    double next;    /* seconds from the last look to the next that is advised, 0.0005 to 0.02 */
    double seconds; /* at the last look */
    double balance; /* seconds of overhead that may be spent at once; below 0: overspent */
    double fallen;  /* timed calls of functions that fell */
    uint32_t looks;
};

/* What is known at a look. */
struct pcomp_level_poll {
    double seconds;       /* the program's own processor time since the start: overhead taken off, but a fifth of the
                           * time since the last look remains, however expensive the probes; never decreases */
    double wall;          /* the same by the clock on the wall, with what it waited or was kept from a processor; used
                           * for the rates with which a function stays timed alone, where it is more than `seconds` */
    double timed_price;   /* of a timed call, seconds */
    double counted_price; /* of a call counted in place, seconds */
    double sampling;      /* share of the time that samples, and begins and ends of threads, cost */
    double windows;       /* share of the time that windows cost, as planned, or as spent so far beyond their start
                           * (PCOMP_WINDOW_START), whichever is more; 0 while no function is sampled */
    double sites;         /* share of the time that sites cost even while they are off; PCOMP_LEVEL_SITES of the limit
                           * at most counts */
    double limit;         /* share of the time that all of this may cost, above 0 */
    double burst, rate;   /* calls of a function that stays timed, whatever the time, and more in each second */
    bool exact;           /* counts must stay exact: no function is sampled */
    bool keeps_fallen;    /* what calls of functions that fell have cost is a part of what timed calls may cost */
};

/* The greatest number of calls since the start, `allowance` at most, with which a function stays timed. calls[i] are
 * those of the i-th function since then, levels[i] is its enum pcomp_level; `seconds` since the start; `price` of a
 * timed call, seconds; `fallen`: calls of others that count. Stateless. */
double pcomp_levels_affordable(const uint64_t *calls, const uint8_t *levels, uint32_t count, double allowance,
                               double seconds, double price, double fallen);

/* Looks at `count` functions and writes their new levels into levels[] (enum pcomp_level, in: the present ones).
 * calls[i]: of the i-th function since the start; exact where timed or counted, else the present estimate (which may
 * decrease). `count` may grow from look to look. Returns how many levels changed. */
uint32_t pcomp_levels_poll(struct pcomp_level_machine *machine, struct pcomp_level_function *functions, uint8_t *levels,
                           const uint64_t *calls, uint32_t count, const struct pcomp_level_poll *look);

#endif
