/* Messages and collectives on the simulated machine: simulation.h, "Messages" and "Collectives". */
#include "tests/support/simulation_machine.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One end of a message that has not met the other. */
struct end {
    uint32_t location, request; /* NOBODY: the blocking one */
    uint32_t peer, tag, communicator;
    uint64_t bytes, at, name; /* at: when the operation took effect */
    bool rendezvous;
};

struct ends {
    struct end *ends;
    uint32_t count, capacity;
};

struct mailbox { /* of a rank */
    struct ends sent, posted;
};

struct instance { /* of a collective */
    uint32_t arrived, left;
    uint32_t *locations; /* who has arrived, in order */
    uint64_t *times;
    bool *gone; /* those have been let go */
    uint64_t root_time;
    bool root_there;
};

struct communicator {
    uint32_t *entered; /* instances that a location has entered */
    struct instance *instances;
    uint32_t instance_count, instance_capacity;
};

void machine_messages_init(struct simulation *s)
{
    uint32_t count = s->program->count;

    s->mailboxes = calloc(count + 1, sizeof *s->mailboxes);
    s->communicators = calloc(s->program->objects + 1, sizeof *s->communicators);
    if (!s->mailboxes || !s->communicators)
        abort();
}

static void instance_free(struct instance *instance)
{
    free(instance->locations);
    free(instance->times);
    free(instance->gone);
    *instance = (struct instance){0};
}

void machine_messages_free(struct simulation *s)
{
    for (uint32_t i = 0; i < s->program->count; i++) {
        free(s->mailboxes[i].sent.ends);
        free(s->mailboxes[i].posted.ends);
    }
    for (uint32_t i = 0; i <= s->program->objects; i++) {
        for (uint32_t k = 0; k < s->communicators[i].instance_count; k++)
            instance_free(&s->communicators[i].instances[k]);
        free(s->communicators[i].instances);
        free(s->communicators[i].entered);
    }
    free(s->mailboxes);
    free(s->communicators);
}

/* --- Requests --- */

static uint64_t ticks(double time)
{
    return (uint64_t)llround(time);
}

static uint64_t copy_ticks(const struct simulation *s, uint64_t bytes)
{
    return ticks(comm_copy_time(s->machine->messages, bytes));
}

static struct request *request_of(struct simulation *s, uint32_t location, uint32_t request)
{
    struct runner *runner = &s->runners[location];

    return request == NOBODY ? &runner->blocking : &runner->requests[request];
}

/* Whether what the location waits for is complete; then *at is the time of the last completion. */
static bool all_complete(struct simulation *s, uint32_t location, uint64_t *at)
{
    struct runner *runner = &s->runners[location];

    *at = runner->now;
    for (uint32_t i = 0; i < (runner->awaited ? runner->awaited : 1); i++) {
        const struct request *request = request_of(s, location, runner->awaited ? runner->awaited_from + i : NOBODY);

        if (!request->complete)
            return false;
        if (request->at > *at)
            *at = request->at;
    }
    return true;
}

static void complete(struct simulation *s, const struct end *end, uint64_t at)
{
    struct request *request = request_of(s, end->location, end->request);
    uint64_t last;

    request->complete = true;
    request->at = at;
    if (s->runners[end->location].in_wait && all_complete(s, end->location, &last)) {
        s->runners[end->location].in_wait = false;
        machine_wake(s, end->location, last);
    }
}

/* Blocks until what is awaited is complete; then the next step comes at that time. */
static enum step await_requests(struct simulation *s, uint32_t location)
{
    uint64_t last;

    if (all_complete(s, location, &last)) {
        s->runners[location].now = last;
        return STEP_AGAIN;
    }
    s->runners[location].in_wait = true;
    return STEP_BLOCKED;
}

/* A new request of the location; returns its index. */
static uint32_t request_new(struct simulation *s, uint32_t location, const struct simulation_op *op, bool is_send,
                            bool blocking)
{
    struct runner *runner = &s->runners[location];
    struct request fresh = {.is_send = is_send,
                            .peer = op->peer,
                            .tag = op->tag,
                            .communicator = op->object,
                            .bytes = op->amount,
                            .id = runner->fresh};

    if (blocking) {
        runner->blocking = fresh;
        runner->awaited = 0;
        return NOBODY;
    }
    runner->requests =
        machine_grow(runner->requests, &runner->request_capacity, runner->end_request + 1, sizeof *runner->requests);
    runner->requests[runner->end_request] = fresh;
    return runner->end_request++;
}

/* --- Matching: first sent, first received among those that fit --- */

static bool fits(const struct end *receive, const struct end *sent, uint32_t sender_rank)
{
    return receive->communicator == sent->communicator &&
           (receive->peer == PCOMP_EVENT_ANY || receive->peer == sender_rank) &&
           (receive->tag == PCOMP_EVENT_ANY || receive->tag == sent->tag);
}

static uint32_t rank_of(const struct simulation *s, uint32_t location)
{
    return (uint32_t)s->program->locations[location].rank;
}

/* Both ends are there. Eager: the message has been on its way since it was sent. Rendezvous: it goes now. */
static void meet(struct simulation *s, const struct end *send, const struct end *receive)
{
    const struct comm_model *model = s->machine->messages;
    struct request *request = request_of(s, receive->location, receive->request);
    uint64_t copy = copy_ticks(s, send->bytes), there = send->at + ticks(comm_time(model, send->bytes));

    request->peer = rank_of(s, send->location);
    request->tag = send->tag;
    request->bytes = send->bytes;
    machine_order(s, receive->location, send->name);
    if (send->rendezvous) {
        uint64_t both = send->at > receive->at ? send->at : receive->at;

        there = both + ticks(comm_time(model, send->bytes));
        complete(s, send, there);
        complete(s, receive, there);
        return;
    }
    complete(s, receive, there > receive->at + copy ? there : receive->at + copy);
}

static void push_end(struct ends *ends, const struct end *end)
{
    ends->ends = machine_grow(ends->ends, &ends->capacity, ends->count + 1, sizeof *ends->ends);
    ends->ends[ends->count++] = *end;
}

static struct end remove_end(struct ends *ends, uint32_t index)
{
    struct end removed = ends->ends[index];

    memmove(&ends->ends[index], &ends->ends[index + 1], (--ends->count - index) * sizeof *ends->ends);
    return removed;
}

static void send(struct simulation *s, uint32_t location, const struct simulation_op *op, uint32_t request)
{
    struct mailbox *mailbox = &s->mailboxes[op->peer];
    const struct comm_model *model = s->machine->messages;
    bool large = model->threshold && op->amount >= model->threshold && op->mode == PCOMP_EVENT_SEND_POST;
    struct end end = {.location = location,
                      .request = request,
                      .tag = op->tag,
                      .communicator = op->object,
                      .bytes = op->amount,
                      .at = s->runners[location].now,
                      .name = machine_op_name(s, location),
                      .rendezvous = large || op->mode == PCOMP_EVENT_SEND_POST_SYNC};

    if (!end.rendezvous)
        complete(s, &end, end.at + copy_ticks(s, op->amount));
    for (uint32_t i = 0; i < mailbox->posted.count; i++) {
        if (fits(&mailbox->posted.ends[i], &end, rank_of(s, location))) {
            struct end receive = remove_end(&mailbox->posted, i);

            meet(s, &end, &receive);
            return;
        }
    }
    push_end(&mailbox->sent, &end);
}

static void receive(struct simulation *s, uint32_t location, const struct simulation_op *op, uint32_t request)
{
    struct mailbox *mailbox = &s->mailboxes[rank_of(s, location)];
    struct end end = {.location = location,
                      .request = request,
                      .peer = op->peer,
                      .tag = op->tag,
                      .communicator = op->object,
                      .at = s->runners[location].now};

    for (uint32_t i = 0; i < mailbox->sent.count; i++) {
        if (fits(&end, &mailbox->sent.ends[i], rank_of(s, mailbox->sent.ends[i].location))) {
            struct end sent = remove_end(&mailbox->sent, i);

            meet(s, &sent, &end);
            return;
        }
    }
    push_end(&mailbox->posted, &end);
}

/* --- Operations --- */

static void stamp_done(struct simulation *s, uint32_t location, uint32_t role, const struct request *request)
{
    machine_stamp_long(s, location, role, request->is_send ? PCOMP_EVENT_SEND_DONE : PCOMP_EVENT_RECV_DONE,
                       request->bytes, (uint64_t)request->peer << 32 | request->tag,
                       (uint64_t)request->id << 24 | request->communicator);
}

static enum step transfer_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    bool is_send = op->kind == SIMULATION_SEND || op->kind == SIMULATION_ISEND;
    bool blocking = op->kind == SIMULATION_SEND || op->kind == SIMULATION_RECV;
    struct runner *runner = &s->runners[location];
    uint32_t request;

    switch (runner->phase) {
    case 0:
        runner->fresh = blocking ? 0 : ++s->last_request;
        machine_stamp_long(s, location, 0, is_send ? op->mode : PCOMP_EVENT_RECV_POST, op->amount,
                           (uint64_t)op->peer << 32 | op->tag, (uint64_t)runner->fresh << 24 | op->object);
        return STEP_AGAIN;
    case 1:
        request = request_new(s, location, op, is_send, blocking);
        if (is_send)
            send(s, location, op, request);
        else
            receive(s, location, op, request);
        if (blocking)
            return await_requests(s, location);
        runner->now += op->delay;
        return STEP_DONE;
    default:
        stamp_done(s, location, 1, &runner->blocking);
        return STEP_DONE;
    }
}

static enum step wait_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct runner *runner = &s->runners[location];
    uint32_t outstanding = runner->end_request - runner->first_request;

    switch (runner->phase) {
    case 0:
        if (outstanding == 0)
            return STEP_DONE;
        machine_stamp(s, location, 0, PCOMP_EVENT_WAIT_ENTER, 0);
        return STEP_AGAIN;
    case 1:
        runner->awaited = op->kind == SIMULATION_WAITALL ? outstanding : 1;
        runner->awaited_from = op->kind == SIMULATION_WAIT_LAST ? runner->end_request - 1 : runner->first_request;
        return await_requests(s, location);
    default:
        for (uint32_t i = 0; i < runner->awaited; i++)
            stamp_done(s, location, 1 + i, &runner->requests[runner->awaited_from + i]);
        if (op->kind == SIMULATION_WAIT_LAST)
            runner->end_request--;
        else
            runner->first_request += runner->awaited;
        machine_stamp(s, location, 1 + runner->awaited, PCOMP_EVENT_WAIT_EXIT, 0);
        return STEP_DONE;
    }
}

/* --- Collectives --- */

static struct instance *instance_at(struct simulation *s, struct communicator *communicator, uint32_t location,
                                    uint32_t participants)
{
    uint32_t index;
    struct instance *instance;

    if (!communicator->entered)
        communicator->entered = calloc(s->program->count, sizeof *communicator->entered);
    if (!communicator->entered)
        abort();
    index = communicator->entered[location]++;
    if (index == communicator->instance_count) {
        communicator->instances = machine_grow(communicator->instances, &communicator->instance_capacity,
                                               ++communicator->instance_count, sizeof *communicator->instances);
        communicator->instances[index] = (struct instance){.locations = calloc(participants, sizeof(uint32_t)),
                                                           .times = calloc(participants, sizeof(uint64_t)),
                                                           .gone = calloc(participants, sizeof(bool))};
    }
    instance = &communicator->instances[index];
    if (!instance->locations || !instance->times || !instance->gone)
        abort();
    return instance;
}

/* Whether the k-th that arrived has nobody to wait for any more, and when it leaves. */
static bool may_leave(const struct simulation *s, const struct instance *instance, uint32_t participants, uint32_t k,
                      uint64_t *at)
{
    uint32_t location = instance->locations[k], before = 0;
    const struct simulation_script *script = &s->program->locations[location];
    const struct simulation_op *op = &script->ops[s->runners[location].op];
    uint64_t copy = copy_ticks(s, op->amount), delay = op->delay > 2 * copy ? op->delay : 2 * copy;
    bool root = rank_of(s, location) == op->peer, full = instance->arrived == participants;

    *at = instance->times[k];
    switch (op->mode) {
    case PCOMP_COLLECTIVE_1_TO_N:
        if (root || !instance->root_there) {
            *at += op->delay;
            return root;
        }
        *at = instance->root_time + delay > *at + copy ? instance->root_time + delay : *at + copy;
        return true;
    case PCOMP_COLLECTIVE_N_TO_1:
        *at = (root ? instance->times[instance->arrived - 1] : *at) + op->delay;
        return !root || full;
    case PCOMP_COLLECTIVE_PREFIX:
        for (uint32_t i = 0; i < instance->arrived; i++) {
            if (rank_of(s, instance->locations[i]) <= rank_of(s, location)) {
                before++;
                *at = instance->times[i] > *at ? instance->times[i] : *at;
            }
        }
        *at += op->delay;
        return full || before == rank_of(s, location) + 1;
    default:
        *at = instance->times[instance->arrived - 1] + op->delay;
        return full;
    }
}

static enum step collective_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    uint32_t participants = s->group_size[op->group];
    uint64_t a = (uint64_t)op->object << 32 | op->peer, b = (uint64_t)participants << 16 | op->mode, at;
    struct instance *instance;

    switch (s->runners[location].phase) {
    case 0:
        machine_stamp_long(s, location, 0, PCOMP_EVENT_COLLECTIVE_ENTER, op->amount, a, b);
        return STEP_AGAIN;
    case 1:
        instance = instance_at(s, &s->communicators[op->object], location, participants);
        instance->locations[instance->arrived] = location;
        instance->times[instance->arrived++] = s->runners[location].now;
        if (rank_of(s, location) == op->peer) {
            instance->root_there = true;
            instance->root_time = s->runners[location].now;
        }
        for (uint32_t k = 0; k < instance->arrived; k++) {
            if (!instance->gone[k] && may_leave(s, instance, participants, k, &at)) {
                instance->gone[k] = true;
                machine_wake(s, instance->locations[k], at);
                if (++instance->left == participants) {
                    instance_free(instance);
                    break;
                }
            }
        }
        return STEP_BLOCKED;
    default:
        machine_stamp_long(s, location, 1, PCOMP_EVENT_COLLECTIVE_EXIT, op->amount, a, b);
        return STEP_DONE;
    }
}

enum step machine_message_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    switch (op->kind) {
    case SIMULATION_WAIT:
    case SIMULATION_WAIT_LAST:
    case SIMULATION_WAITALL:
        return wait_step(s, location, op);
    case SIMULATION_COLLECTIVE:
        return collective_step(s, location, op);
    default:
        return transfer_step(s, location, op);
    }
}
