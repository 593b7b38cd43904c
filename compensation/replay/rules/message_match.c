/* Channels, mailboxes and requests. */
#include "compensation/replay/rules/message_match.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_defer.h"
#include "compensation/replay/rules/message_time.h"

struct matcher {
    struct replay_map channels;        /* (source << 32 | destination, communicator << 32 | tag) */
    struct replay_map mailboxes;       /* (0, rank) */
    struct replay_map ranks;           /* (0, rank): its first location */
    struct replay_map sends, receives; /* with a request, in progress: (process, request) */
    struct message *free_messages;     /* by next */
    struct message_receive *free_receives;
    struct seen_transfers seen[2]; /* between ranks of one machine; of two */
};

static bool find_ranks(struct replay *r, struct matcher *matcher)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct location_state *p = &r->locations[i];

        if (p->rank >= 0 && !replay_map_get(&matcher->ranks, 0, (uint32_t)p->rank) &&
            !replay_map_put(&r->memory, &matcher->ranks, 0, (uint32_t)p->rank, p))
            return false;
    }
    return true;
}

static struct matcher *matcher_of(struct replay *r)
{
    struct matcher *matcher = r->messages;

    if (matcher)
        return matcher;
    matcher = replay_allocate(&r->memory, sizeof *matcher);
    return matcher && find_ranks(r, matcher) ? r->messages = matcher : NULL;
}

struct matcher_location {    /* what state->messages is */
    struct message *sending; /* blocking */
    struct message_receive *receiving;
    struct message_mailbox *mailbox;
    int64_t recorded; /* fixed: see message_recorded */
};

static void *made(struct replay *r, struct replay_map *map, uint64_t high, uint64_t low, size_t size)
{
    void *thing = replay_map_get(map, high, low);

    if (thing)
        return thing;
    thing = replay_allocate(&r->memory, size);
    return thing && replay_map_put(&r->memory, map, high, low, thing) ? thing : NULL;
}

static struct message_mailbox *mailbox_of(struct replay *r, struct matcher *matcher, uint32_t rank)
{
    struct message_mailbox *mailbox = made(r, &matcher->mailboxes, 0, rank, sizeof *mailbox);

    if (mailbox && !mailbox->posted_end)
        mailbox->posted_end = &mailbox->posted;
    return mailbox;
}

static struct matcher_location *location_of(struct replay *r, struct location_state *p)
{
    struct matcher *matcher = matcher_of(r);
    struct matcher_location *location = p->messages;

    if (location || !matcher)
        return location;
    location = replay_allocate(&r->memory, sizeof *location);
    if (!location)
        return NULL;
    location->mailbox = mailbox_of(r, matcher, (uint32_t)p->rank);
    return location->mailbox ? p->messages = location : NULL;
}

static struct message_channel *channel_of(struct replay *r, struct matcher *matcher, uint32_t source,
                                          uint32_t destination, uint32_t communicator, uint32_t tag)
{
    struct message_channel *channel = made(r, &matcher->channels, (uint64_t)source << 32 | destination,
                                           (uint64_t)communicator << 32 | tag, sizeof *channel);

    if (channel && !channel->mailbox) {
        channel->communicator = communicator;
        channel->tag = tag;
        const struct location_state *from = replay_map_get(&matcher->ranks, 0, source),
                                    *to = replay_map_get(&matcher->ranks, 0, destination);

        channel->model = message_model(r->options, from, to);
        channel->seen = &matcher->seen[message_is_between(from, to)];
        channel->mailbox = mailbox_of(r, matcher, destination);
    }
    return channel && channel->mailbox ? channel : NULL;
}

struct message_channel *message_channel_here(struct replay *r, const struct location_state *p)
{
    struct matcher *matcher = matcher_of(r);

    return matcher ? channel_of(r, matcher, message_peer(p), (uint32_t)p->rank, message_communicator(p), message_tag(p))
                   : NULL;
}

/* --- Lists --- */

static void inbox_put(struct message_mailbox *mailbox, struct message *message)
{
    message->inbox_next = mailbox->inbox;
    message->inbox_link = &mailbox->inbox;
    if (message->inbox_next)
        message->inbox_next->inbox_link = &message->inbox_next;
    mailbox->inbox = message;
}

/* A message goes when both ends are done and no blind receive can be timed by it any more. */
static void message_release(struct matcher *matcher, struct message *message)
{
    if (!message->done || !message->received || message->inbox_link)
        return;
    message->next = matcher->free_messages;
    matcher->free_messages = message;
}

static void inbox_take(struct message *message)
{
    if (!message->inbox_link)
        return;
    *message->inbox_link = message->inbox_next;
    if (message->inbox_next)
        message->inbox_next->inbox_link = message->inbox_link;
    message->inbox_link = NULL;
}

static void channel_take(struct message_channel *channel, struct message *message)
{
    struct message **link = &channel->first, *before = NULL;

    while (*link != message) {
        before = *link;
        link = &before->next;
    }
    *link = message->next;
    if (channel->last == message)
        channel->last = before;
}

/* --- Begins --- */

static enum comm_protocol protocol_of(const struct location_state *p, const struct comm_model *model)
{
    if (p->kind == PCOMP_EVENT_SEND_POST)
        return comm_protocol_of(model, p->protocols, replay_value(p));
    return p->kind == PCOMP_EVENT_SEND_POST_SYNC ? COMM_RENDEZVOUS : COMM_EAGER;
}

/* Requests are known to all threads of a process; a location is in one blocking send and one blocking receive. */

bool message_send_begins(struct replay *r, struct location_state *p)
{
    struct matcher_location *location = location_of(r, p);
    struct matcher *matcher = r->messages;
    struct message *message, *left_open = message_sending(r, p); /* where records were lost */
    struct message_channel *channel;

    if (!location)
        return false;
    if (left_open)
        message_send_ends(r, p, left_open);
    message = matcher->free_messages;
    if (message)
        matcher->free_messages = message->next;
    else
        message = replay_allocate(&r->memory, sizeof *message);
    channel = channel_of(r, matcher, (uint32_t)p->rank, message_peer(p), message_communicator(p), message_tag(p));
    if (!message || !channel)
        return false;
    *message = (struct message){.post = replay_stamp_here(p),
                                .channel = channel,
                                .bytes = replay_value(p),
                                .source = (uint32_t)p->rank,
                                .protocol = protocol_of(p, channel->model),
                                .alone = !message_request(p)};
    if (channel->last)
        channel->last->next = message;
    else
        channel->first = message;
    channel->last = message;
    if (r->options->receive != REPLAY_RECEIVE_PRESERVE)
        inbox_put(channel->mailbox, message);
    replay_wake(r, &channel->waiting);
    if (message_request(p))
        return replay_map_put(&r->memory, &matcher->sends, p->process, message_request(p), message);
    location->sending = message;
    if (location->receiving)
        location->receiving->alone = message->alone = false;
    return true;
}

bool message_receive_begins(struct replay *r, struct location_state *p)
{
    struct matcher_location *location = location_of(r, p);
    struct matcher *matcher = r->messages;
    struct message_receive *receive, *left_open = message_receiving(r, p); /* where records were lost */

    if (!location)
        return false;
    if (left_open)
        message_receive_ends(r, p, left_open, NULL);
    receive = matcher->free_receives;
    if (receive)
        matcher->free_receives = receive->next;
    else
        receive = replay_allocate(&r->memory, sizeof *receive);
    if (!receive)
        return false;
    *receive = (struct message_receive){.post = replay_stamp_here(p),
                                        .peer = message_peer(p),
                                        .tag = message_tag(p),
                                        .communicator = message_communicator(p),
                                        .alone = !message_request(p),
                                        .mailbox = location->mailbox,
                                        .link = location->mailbox->posted_end};
    *receive->link = receive;
    location->mailbox->posted_end = &receive->next;
    replay_wake(r, &location->mailbox->senders);
    if (message_request(p))
        return replay_map_put(&r->memory, &matcher->receives, p->process, message_request(p), receive);
    location->receiving = receive;
    if (location->sending)
        location->sending->alone = receive->alone = false;
    return true;
}

struct message *message_sending(const struct replay *r, const struct location_state *p)
{
    const struct matcher *matcher = r->messages;
    const struct matcher_location *location = p->messages;

    if (message_request(p))
        return matcher ? replay_map_get(&matcher->sends, p->process, message_request(p)) : NULL;
    return location ? location->sending : NULL;
}

struct message_receive *message_receiving(const struct replay *r, const struct location_state *p)
{
    const struct matcher *matcher = r->messages;
    const struct matcher_location *location = p->messages;

    if (message_request(p))
        return matcher ? replay_map_get(&matcher->receives, p->process, message_request(p)) : NULL;
    return location ? location->receiving : NULL;
}

int64_t message_recorded(const struct location_state *p)
{
    const struct matcher_location *location = p->messages;

    return location ? location->recorded : 0;
}

void message_call_begins(struct location_state *p)
{
    struct matcher_location *location = p->messages;

    if (location)
        location->recorded = 0;
}

/* --- Matches --- */

static bool takes(const struct message_receive *receive, const struct message_channel *channel, uint32_t source)
{
    return receive->communicator == channel->communicator &&
           (receive->tag == PCOMP_EVENT_ANY || receive->tag == channel->tag) &&
           (receive->peer == PCOMP_EVENT_ANY || receive->peer == source);
}

struct message *message_for(const struct message_channel *channel, const struct message_receive *receive)
{
    struct message *message = channel->first;

    /* Receives that were posted earlier take earlier messages. Of a blind one that is not done nobody knows yet. */
    for (const struct message_receive *other = channel->mailbox->posted; other && other != receive && message;
         other = other->next) {
        if (other->peer != PCOMP_EVENT_ANY && other->tag != PCOMP_EVENT_ANY && takes(other, channel, message->source))
            message = message->next;
    }
    return message;
}

struct message_receive *message_receiver(const struct message *message)
{
    struct message_receive *receive = message->channel->mailbox->posted;

    for (const struct message *earlier = message->channel->first;; receive = receive->next) {
        while (receive && !takes(receive, message->channel, message->source))
            receive = receive->next;
        if (!receive || earlier == message)
            return receive;
        earlier = earlier->next;
    }
}

/* When a message is there, as far as the order of messages goes; fixed. */
static int64_t arrival_of(const struct message *message)
{
    double time = comm_time(message->channel->model, message->bytes);

    return message->post.approximated + (int64_t)(time * (1 << PCOMP_FIX_SHIFT) + 0.5);
}

/* 1993 §4.2: FIFO the first that arrives; LIFO the last that has arrived when the receive is posted, or else the first.
 * `*until`: a message that arrives later than this changes nothing. */
static struct message *choose(const struct replay *r, const struct message_receive *receive, const struct message *own,
                              int64_t *until)
{
    int64_t posted = receive->post.approximated, min = INT64_MAX, last = INT64_MIN;
    struct message *first = NULL, *latest = NULL;

    for (struct message *m = own->channel->mailbox->inbox; m; m = m->inbox_next) {
        int64_t arrival = arrival_of(m);

        if (!takes(receive, m->channel, m->source))
            continue;
        if (arrival <= min) { /* the inbox has the last one sent first */
            first = m;
            min = arrival;
        }
        if (arrival <= posted && arrival > last) {
            latest = m;
            last = arrival;
        }
    }
    bool lifo = r->options->receive == REPLAY_RECEIVE_LIFO;
    *until = lifo && latest ? posted : min;
    return lifo && latest ? latest : first;
}

bool message_must_defer(struct replay *r, struct location_state *p, const struct message_receive *receive,
                        const struct message *own)
{
    int64_t until;

    return r->options->receive != REPLAY_RECEIVE_PRESERVE && choose(r, receive, own, &until) &&
           replay_must_defer(r, p, until);
}

struct replay_stamp message_blind(struct replay *r, const struct message_receive *receive, struct message *own)
{
    struct replay_stamp stamp = own->post;
    int64_t until;
    struct message *best = r->options->receive == REPLAY_RECEIVE_PRESERVE ? NULL : choose(r, receive, own, &until);

    if (!best)
        return stamp;
    stamp.approximated = best->post.approximated;
    stamp.path = best->post.path;
    stamp.written = best->post.written;
    inbox_take(best);
    message_release(r->messages, best);
    return stamp;
}

/* --- Ends --- */

void message_send_ends(struct replay *r, struct location_state *p, struct message *message)
{
    struct matcher *matcher = r->messages;
    struct matcher_location *location = p->messages;

    if (message_request(p))
        replay_map_remove(&matcher->sends, p->process, message_request(p));
    else
        location->sending = NULL;
    if (location)
        location->recorded += p->pending;
    message->done = true;
    message->done_at = p->measured;
    message_release(matcher, message);
}

static void receive_release(struct matcher *matcher, struct message_receive *receive)
{
    *receive->link = receive->next;
    if (receive->next)
        receive->next->link = receive->link;
    else
        receive->mailbox->posted_end = receive->link;
    receive->next = matcher->free_receives;
    matcher->free_receives = receive;
}

void message_receive_ends(struct replay *r, struct location_state *p, struct message_receive *receive,
                          struct message *message)
{
    struct matcher *matcher = r->messages;
    struct matcher_location *location = p->messages;

    if (message) {
        channel_take(message->channel, message);
        message->received = true;
        message->receiver = receive->post;
        if (receive->peer != PCOMP_EVENT_ANY)
            inbox_take(message); /* a blind one takes what it was timed by */
        message_release(matcher, message);
    }
    if (message_request(p))
        replay_map_remove(&matcher->receives, p->process, message_request(p));
    else
        location->receiving = NULL;
    if (location)
        location->recorded += p->pending;
    receive_release(matcher, receive);
}

void message_request_gone(struct replay *r, struct location_state *p)
{
    struct message *message = message_sending(r, p);
    struct message_receive *receive = message_receiving(r, p);

    if (message)
        message_send_ends(r, p, message);
    if (receive)
        message_receive_ends(r, p, receive, NULL);
}
