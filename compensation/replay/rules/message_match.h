/* Which send belongs to which receive. MPI does not let messages overtake: the k-th send from one rank to another with
 * one tag on one communicator goes to the k-th receive that takes such a message, in the order of posting. */
#ifndef PCOMP_MESSAGE_MATCH_H
#define PCOMP_MESSAGE_MATCH_H

#include "compensation/estimate/seen_transfers.h"
#include "compensation/replay/engine/replay_state.h"

struct message_mailbox;

struct message_channel {           /* from one rank to another, one tag, one communicator */
    struct message *first, *last;  /* sent and not received */
    struct replay_waiters waiting; /* receives whose send has not been seen */
    struct message_mailbox *mailbox;
    const struct comm_model *model; /* of what its messages cost */
    struct seen_transfers *seen;    /* between ranks of one machine, or of two */
    uint32_t communicator, tag;
};

struct message { /* a send */
    struct replay_stamp post;
    struct message *next;                     /* in the channel */
    struct message *inbox_next, **inbox_link; /* in the mailbox; link NULL: not there */
    struct message_channel *channel;
    uint64_t bytes;
    uint32_t source;              /* rank */
    enum comm_protocol protocol;  /* by its mode, or its size */
    bool alone;                   /* its call waits for nothing else: blocking, and not MPI_Sendrecv */
    bool done, received;          /* both ends: the message can go */
    uint64_t done_at;             /* ticks, measured; when done */
    struct replay_stamp receiver; /* post of the receive, when received */
};

struct message_receive {
    struct replay_stamp post;
    uint32_t peer, tag, communicator; /* as asked for */
    bool alone;                       /* its call waits for nothing else: blocking, and not MPI_Sendrecv */
    struct message_mailbox *mailbox;
    struct message_receive *next, **link; /* in the mailbox, in the order of posting */
};

struct message_mailbox { /* of a rank */
    struct message_receive *posted, **posted_end;
    struct replay_waiters senders; /* whose receive may be posted by a deferred process */
    struct message *inbox;         /* what no blind receive has been timed by; only kept for FIFO and LIFO */
};

static inline uint32_t message_peer(const struct location_state *p)
{
    return (uint32_t)(replay_a(p) >> 32);
}

static inline uint32_t message_tag(const struct location_state *p)
{
    return (uint32_t)replay_a(p);
}

static inline uint64_t message_request(const struct location_state *p)
{
    return replay_b(p) >> 24;
}

static inline uint32_t message_communicator(const struct location_state *p)
{
    return (uint32_t)(replay_b(p) & 0xffffffu);
}

/* The event at hand was committed and begins a send, or a receive. False: no memory. */
bool message_send_begins(struct replay *r, struct location_state *p);
bool message_receive_begins(struct replay *r, struct location_state *p);

/* What the event at hand is about, by its request or as the location's blocking one; NULL: not begun. */
struct message *message_sending(const struct replay *r, const struct location_state *p);
struct message_receive *message_receiving(const struct replay *r, const struct location_state *p);

/* The channel that the event at hand (RECV_DONE, PROBE_EXIT) names. NULL: no memory. */
struct message_channel *message_channel_here(struct replay *r, const struct location_state *p);

/* The message that belongs to a receive of the rank, `receive` NULL: the next one that none was posted for. NULL: it
 * has not been sent. */
struct message *message_for(const struct message_channel *channel, const struct message_receive *receive);

/* The receive that the message will go to, if it has been posted and is not done. NULL: none. */
struct message_receive *message_receiver(const struct message *message);

/* True: which message a blind receive is timed by is not known yet, as others may send one that arrives earlier; the
 * location is to be deferred. */
bool message_must_defer(struct replay *r, struct location_state *p, const struct message_receive *receive,
                        const struct message *own);

/* The approximated post of what a blind receive is timed by under FIFO or LIFO, which is then no longer to be had by
 * others, with the measured post of `own`, its message; `own` alone under PRESERVE or when there is nothing else. */
struct replay_stamp message_blind(struct replay *r, const struct message_receive *receive, struct message *own);

/* The send's or the receive's DONE was committed. */
void message_send_ends(struct replay *r, struct location_state *p, struct message *message);
void message_receive_ends(struct replay *r, struct location_state *p, struct message_receive *receive,
                          struct message *message); /* message NULL: none was found */

/* Overhead of recording the ends of other transfers since the call returned that the event at hand ended in: when the
 * first of them is stamped all have ended. */
int64_t message_recorded(const struct location_state *p);

/* A call begins that waits for transfers. */
void message_call_begins(struct location_state *p);

/* The request of the event at hand will not end. */
void message_request_gone(struct replay *r, struct location_state *p);

#endif
