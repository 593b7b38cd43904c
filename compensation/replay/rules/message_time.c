/* Transfer times and what follows from them. */
#include "compensation/replay/rules/message_time.h"

#include "compensation/replay/engine/event_commit.h"

static int64_t fixed(double ticks)
{
    return (int64_t)(ticks * (1 << PCOMP_FIX_SHIFT) + 0.5); /* never negative */
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool message_is_between(const struct location_state *from, const struct location_state *to)
{
    return from && to && from->machine && to->machine && from->machine != to->machine;
}

const struct comm_model *message_model(const struct replay_options *options, const struct location_state *from,
                                       const struct location_state *to)
{
    return message_is_between(from, to) && comm_is_known(&options->between) ? &options->between : &options->messages;
}

int64_t message_copy_time(const struct comm_model *model, uint64_t bytes, int64_t measured)
{
    return min(fixed(comm_copy_time(model, bytes)), measured);
}

static int64_t modelled(const struct comm_model *model, const struct seen_transfers *seen, uint64_t bytes)
{
    if (comm_is_known(model))
        return fixed(comm_time(model, bytes));
    return seen ? seen_transfers_like(seen, bytes) : 0;
}

int64_t message_time(const struct comm_model *model, enum replay_comm comm, uint64_t bytes, int64_t measured,
                     bool known, const struct seen_transfers *seen)
{
    int64_t lower = min(2 * fixed(comm_copy_time(model, bytes)), measured), time = lower;

    if (known)
        return measured;
    if (comm == REPLAY_COMM_UPPER)
        time = seen ? seen_transfers_bound(seen, bytes) : measured;
    else if (comm == REPLAY_COMM_MODEL)
        time = modelled(model, seen, bytes);
    time = min(time, measured);
    return time > lower ? time : lower;
}

int64_t message_since(const struct location_state *p, const struct replay_stamp *stamp)
{
    int64_t now, since;

    replay_ready(p, stamp, &now);
    since = now - stamp->measured;
    return since > 0 ? since : 0;
}

/* When the later of both sides lets the receive end. `*by`: that side. */
static int64_t end_of(const struct message_transfer *transfer, const struct replay_stamp **by)
{
    int64_t arrival = transfer->sent.approximated + transfer->time;
    int64_t taken = transfer->posted.approximated + (transfer->both ? transfer->time : transfer->copy);

    *by = arrival > taken ? &transfer->sent : &transfer->posted;
    return arrival > taken ? arrival : taken;
}

int64_t message_end(const struct location_state *p, const struct message_transfer *transfer)
{
    const struct replay_stamp *by;
    int64_t end = end_of(transfer, &by);

    return end > p->running ? end : p->running;
}

enum replay_step message_commit(struct replay *r, struct location_state *p, const struct message_transfer *transfer)
{
    const struct replay_stamp *sent = &transfer->sent, *by;
    int64_t now, approximated = end_of(transfer, &by);
    struct replay_path path = by->path;
    struct replay_stamp ready = replay_ready(p, sent, &now);

    replay_report_wait(r, p, transfer->kind, sent, sent->measured - ready.measured,
                       sent->approximated - ready.approximated);
    if (approximated < p->running) {
        approximated = p->running;
        path = replay_path_after(&p->path, p->pending);
    }
    if (!replay_follows(r, p, sent, approximated, transfer->rule))
        return REPLAY_FAILED;
    replay_depends(r, p, transfer->both ? CORE_WAIT : CORE_PASS, sent,
                   transfer->posted.approximated + (transfer->both ? 0 : transfer->copy), transfer->time);
    return replay_commit_at(r, p, approximated, &path, sent->written);
}
