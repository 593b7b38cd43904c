/* In which order those leave who waited for the last one, where the user knows it (1993 §3.2); of barriers and of
 * collectives in which all wait for all.
 *
 *   beta         the i-th of P to enter leaves as the (P - i + 1)-th: in the reverse order of their arrival
 *   sequential   in an order that does not depend on arrival: that in which they left as measured
 *   logarithmic  the same order, but in rounds of 1, 1, 2, 4, 8 ...
 *
 *   t_a(exit) = t_a(enter of the last) + position * beta,   beta = (t_m(last exit) - t_m(first exit)) / gaps
 *
 * with a position from 1 on, and as many gaps as lie between the first position and the last. */
#ifndef PCOMP_EXIT_ORDER_H
#define PCOMP_EXIT_ORDER_H

#include "compensation/replay/engine/replay_state.h"

struct exit_arrival;

struct exit_order { /* of those who meet once; all zero: nobody has come */
    struct exit_arrival *arrivals;
    uint32_t count, room;
    bool known;     /* positions have been given */
    int64_t spread; /* fixed: from the first to the last exit, as measured */
};

/* Whether the user knows one. */
bool exit_order_is_used(const struct replay *r);

/* The location has entered (committed). False: no memory. */
bool exit_order_enter(struct replay *r, struct exit_order *order, struct location_state *p);

/* Commits the exit at hand, of one that entered, when all have entered; `last`: the last enter. The first call looks at
 * the exits of all, which are their heads. */
enum replay_step exit_order_leave(struct replay *r, struct exit_order *order, struct location_state *p,
                                  const struct replay_stamp *last, enum replay_wait_kind kind, const char *rule);

/* Forgets who came, and keeps the room. */
void exit_order_clear(struct exit_order *order);

#endif
