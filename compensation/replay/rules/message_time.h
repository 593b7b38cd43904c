/* What a transfer between two locations takes: bounds where the trace does not tell (2005 §3.2; 1993 §3.3). */
#ifndef PCOMP_MESSAGE_TIME_H
#define PCOMP_MESSAGE_TIME_H

#include "compensation/estimate/seen_transfers.h"
#include "compensation/replay/engine/replay_state.h"

/* Whether two locations, NULL where one is not known, are on different machines. */
bool message_is_between(const struct location_state *from, const struct location_state *to);

/* What messages cost between two locations, NULL where one is not known: between nodes, they have a model of their own
 * if there is one (h*H of 1993 §3.3). */
const struct comm_model *message_model(const struct replay_options *options, const struct location_state *from,
                                       const struct location_state *to);

/* Time between a cause in one location and its arrival in another, fixed. `measured`: what lay between them in the
 * measured execution, which is at least the transfer (eqs 5, 10); `known`: it is nothing but the transfer (m.1, eq. 2).
 * Otherwise the options choose: the two copies (eqs 6, 9); what was measured, but no more than the bound of `seen`; or
 * within what was measured and the copies, the model, and without one what messages of about that size took. seen NULL:
 * none. */
int64_t message_time(const struct comm_model *model, enum replay_comm comm, uint64_t bytes, int64_t measured,
                     bool known, const struct seen_transfers *seen);

/* Time to copy the message out of the system's buffer, fixed; not more than `measured`, which contained it. */
int64_t message_copy_time(const struct comm_model *model, uint64_t bytes, int64_t measured);

/* A receive, or another half of a transfer, ended at the event at hand. */
struct message_transfer {
    struct replay_stamp sent, posted; /* when the transfer could begin on either side */
    int64_t time;                     /* fixed: from the sending, or when `both`, from the later of the two */
    int64_t copy;                     /* fixed: from the posting at least */
    bool both;                        /* a rendezvous: begins when both are there */
    enum replay_wait_kind kind;
    const char *rule;
};

/* Commits the event and reports waiting for the sender:
 *   t_a = max(t_a(sent) + time, t_a(posted) + copy), or max(t_a(sent), t_a(posted)) + time;
 * not before what the location did before. A call for several transfers ends with the last of them, and what it took
 * itself cannot be published from waiting. */
enum replay_step message_commit(struct replay *r, struct location_state *p, const struct message_transfer *transfer);

/* The approximated time, fixed, that message_commit() would give the event. */
int64_t message_end(const struct location_state *p, const struct message_transfer *transfer);

/* From when the stamp took effect to the event at hand as measured, fixed, never negative. */
int64_t message_since(const struct location_state *p, const struct replay_stamp *stamp);

#endif
