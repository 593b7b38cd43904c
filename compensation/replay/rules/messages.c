/* Messages: 2005 §3.2, 1993 §3.3 and §4.2. A "known" communication time is that of (m.1): the receive had begun when
 * the send ended. As alpha lies before the operation, a receive begins when its POST event has been recorded.
 *
 * A send that waits for its receiver is a rendezvous (1993: a broadcast among two): both ends follow the later of the
 * two beginnings. Its mode and its size decide, by the protocol of the MPI (comm_protocol_of), never how long it took.
 * Where the protocol is not known, both ends are computed both ways: the lower bound and the model, which says nothing
 * then, have the earlier of the two times, the upper bound the later one. */
#include "compensation/replay/rules/messages.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"
#include "compensation/replay/rules/message_match.h"
#include "compensation/replay/rules/message_time.h"

static const char receive_rule[] = "a receive ends after the send of its message (2005 §3.2)";
static const char send_rule[] = "a send that waits ends after the receive has begun (1993 §3.3)";
static const char probe_rule[] = "a probe finds what was sent before (2005 §3.2)";

/* Of the end of a message whose protocol is not known: whether the time as a rendezvous is to be had. */
static bool takes_rendezvous(struct replay *r, int64_t eager, int64_t rendezvous)
{
    r->result->undecided += eager != rendezvous;
    return r->options->comm == REPLAY_COMM_UPPER ? rendezvous > eager : rendezvous < eager;
}

/* From when the stamp took effect to when the call returned that the event at hand reports about. */
static int64_t since(const struct location_state *p, const struct replay_stamp *stamp)
{
    int64_t time = message_since(p, stamp) - message_recorded(p);

    return time > 0 ? time : 0;
}

static int64_t transfer_time(const struct replay *r, const struct message *message, uint64_t bytes, int64_t measured,
                             bool known)
{
    const struct message_channel *channel = message->channel;

    return message_time(channel->model, r->options->comm, bytes, measured, known, channel->seen);
}

/* --- Sends --- */

static enum replay_step send_begins(struct replay *r, struct location_state *p)
{
    enum replay_step step = replay_commit(r, p);

    message_call_begins(p);
    if (step != REPLAY_COMMITTED)
        return step;
    return message_send_begins(r, p) ? REPLAY_COMMITTED : replay_no_memory(r);
}

/* Where the message's receive was posted, if the send can have waited for it. */
static struct replay_stamp receiver_of(const struct message *message)
{
    const struct message_receive *receive;

    if (message->protocol == COMM_EAGER)
        return (struct replay_stamp){0};
    receive = message->received ? NULL : message_receiver(message);
    return receive ? receive->post : message->receiver;
}

/* One of several transfers that a call has waited for. */
static enum replay_step send_ends_with_others(struct replay *r, struct location_state *p, const struct message *message)
{
    const struct comm_model *model = message->channel->model;
    int64_t taken = since(p, &message->post), copy = message_copy_time(model, message->bytes, taken);
    struct replay_stamp receiver = receiver_of(message);
    struct message_transfer eager = {.sent = message->post,
                                     .posted = message->post,
                                     .time = copy,
                                     .copy = copy,
                                     .kind = REPLAY_NO_WAIT,
                                     .rule = send_rule},
                            rendezvous = eager;
    bool is_rendezvous = receiver.happened;

    if (is_rendezvous) {
        int64_t waited = since(p, &receiver);

        rendezvous.sent = receiver;
        rendezvous.both = true;
        rendezvous.time = transfer_time(r, message, message->bytes, waited < taken ? waited : taken, false);
        rendezvous.kind = REPLAY_WAIT_LATE_RECEIVER;
    }
    if (is_rendezvous && message->protocol == COMM_UNKNOWN)
        is_rendezvous = takes_rendezvous(r, message_end(p, &eager), message_end(p, &rendezvous));
    return message_commit(r, p, is_rendezvous ? &rendezvous : &eager);
}

static enum replay_step send_ends_alone(struct replay *r, struct location_state *p, const struct message *message)
{
    struct replay_stamp receiver = receiver_of(message);
    bool is_rendezvous = receiver.happened;

    if (is_rendezvous && message->protocol == COMM_UNKNOWN)
        is_rendezvous = takes_rendezvous(r, p->independent, replay_waited_time(p, &receiver));
    return is_rendezvous ? replay_commit_waited(r, p, &receiver, REPLAY_WAIT_LATE_RECEIVER, send_rule)
                         : replay_commit(r, p);
}

static enum replay_step send_ends(struct replay *r, struct location_state *p)
{
    struct message *message = message_sending(r, p);
    enum replay_step step;

    if (!message)
        return replay_unexpected(r, p, "the end of a send that was not begun");
    if (r->deferred && !p->forced && message->protocol != COMM_EAGER && !receiver_of(message).happened)
        return replay_suspend(r, p, &message->channel->mailbox->senders, send_rule);
    step = message->alone ? send_ends_alone(r, p, message) : send_ends_with_others(r, p, message);
    if (step == REPLAY_COMMITTED)
        message_send_ends(r, p, message);
    return step;
}

/* --- Receives --- */

static enum replay_step receive_begins(struct replay *r, struct location_state *p)
{
    enum replay_step step = replay_commit(r, p);

    message_call_begins(p);
    if (step != REPLAY_COMMITTED)
        return step;
    return message_receive_begins(r, p) ? REPLAY_COMMITTED : replay_no_memory(r);
}

/* (m.1): before the send ended. Where a call waited for others too, that is not known, but no send ends before its
 * message is copied. */
static bool began_in_time(const struct message *message, const struct message_receive *receive)
{
    if (message->alone)
        return !message->done || receive->post.measured <= replay_fixed(message->done_at);
    return receive->post.measured <=
           message->post.measured + message_copy_time(message->channel->model, message->bytes, INT64_MAX);
}

/* `time` is the message's alone where it is seen; of others tells what was seen before. */
static void note_seen(struct replay *r, const struct message_channel *channel, uint64_t bytes, bool is_seen,
                      int64_t time)
{
    if (is_seen)
        seen_transfers_add(channel->seen, bytes, time);
    else if (!comm_is_known(channel->model))
        r->result->unpriced += !seen_transfers_like(channel->seen, bytes);
}

static enum replay_step receive_message(struct replay *r, struct location_state *p, struct message_receive *receive,
                                        struct message *message)
{
    const struct comm_model *model = message->channel->model;
    bool blind = receive->peer == PCOMP_EVENT_ANY, known = receive->alone && began_in_time(message, receive);
    /* A send that had ended before the receive began did not wait for it, whatever its size. */
    bool is_rendezvous = message->protocol != COMM_EAGER && (!message->done || receive->post.stamp <= message->done_at);
    int64_t sent = since(p, &message->post), waited = since(p, &receive->post);
    uint64_t bytes = replay_value(p);
    int64_t both = sent < waited ? sent : waited;
    bool is_seen = !is_rendezvous                      ? known
                   : message->protocol == COMM_UNKNOWN ? known && both == sent /* however it was sent */
                                                       : receive->alone;
    struct message_transfer eager = {
        .sent = blind ? message_blind(r, receive, message) : message->post,
        .posted = receive->post,
        .time = transfer_time(r, message, bytes, sent, known),
        .copy = message_copy_time(model, bytes, waited),
        .kind = REPLAY_WAIT_LATE_SENDER,
        .rule = receive_rule,
    };
    struct message_transfer rendezvous = eager;

    rendezvous.both = true;
    rendezvous.time = transfer_time(r, message, bytes, both, receive->alone);
    note_seen(r, message->channel, bytes, is_seen, is_rendezvous ? both : sent);
    if (is_rendezvous && message->protocol == COMM_UNKNOWN)
        is_rendezvous = takes_rendezvous(r, message_end(p, &eager), message_end(p, &rendezvous));
    r->result->blind += blind;
    return message_commit(r, p, is_rendezvous ? &rendezvous : &eager);
}

static enum replay_step receive_ends(struct replay *r, struct location_state *p)
{
    struct message_receive *receive = message_receiving(r, p);
    struct message_channel *channel = message_channel_here(r, p);
    struct message *message;
    enum replay_step step;

    if (!channel)
        return replay_no_memory(r);
    if (!receive)
        return replay_unexpected(r, p, "the end of a receive that was not begun");
    message = message_for(channel, receive);
    if (!message)
        step = replay_suspend(r, p, &channel->waiting, receive_rule);
    else if (receive->peer == PCOMP_EVENT_ANY && message_must_defer(r, p, receive, message))
        step = REPLAY_DEFERRED;
    else
        step = receive_message(r, p, receive, message);
    if (step == REPLAY_COMMITTED)
        message_receive_ends(r, p, receive, message);
    return step;
}

/* A probe that had to wait tells by how much it followed the send, another one only that it did. */
static enum replay_step probe_ends(struct replay *r, struct location_state *p)
{
    struct message_channel *channel = message_channel_here(r, p);
    struct message *message;
    int64_t now;

    if (!channel)
        return replay_no_memory(r);
    message = message_for(channel, NULL);
    if (!message)
        return replay_suspend(r, p, &channel->waiting, probe_rule);
    if (message->post.measured > replay_ready(p, &message->post, &now).measured)
        return replay_commit_waited(r, p, &message->post, REPLAY_WAIT_LATE_SENDER, probe_rule);
    return replay_commit_passed(r, p, &message->post, REPLAY_WAIT_LATE_SENDER, probe_rule);
}

enum replay_step message_rule(struct replay *r, struct location_state *p)
{
    enum replay_step step;

    if (p->rank < 0 && p->kind >= PCOMP_EVENT_LONG)
        return replay_unexpected(r, p, "a message of a location without a rank");
    switch (p->kind) {
    case PCOMP_EVENT_SEND_POST:
    case PCOMP_EVENT_SEND_POST_SYNC:
    case PCOMP_EVENT_SEND_POST_BUFFER:
    case PCOMP_EVENT_SEND_POST_READY:
        return send_begins(r, p);
    case PCOMP_EVENT_SEND_DONE:
        return send_ends(r, p);
    case PCOMP_EVENT_RECV_POST:
        return receive_begins(r, p);
    case PCOMP_EVENT_RECV_DONE:
        return receive_ends(r, p);
    case PCOMP_EVENT_PROBE_EXIT:
        return probe_ends(r, p);
    case PCOMP_EVENT_REQUEST_GONE:
        step = replay_commit(r, p);
        message_request_gone(r, p);
        return step;
    case PCOMP_EVENT_WAIT_ENTER:
        message_call_begins(p);
        return replay_commit(r, p);
    default: /* WAIT_EXIT, PROBE_ENTER */
        return replay_commit(r, p);
    }
}
