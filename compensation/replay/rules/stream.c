/* Pipes, pairs of sockets and eventfds: a read ends after the write of the last byte that it got. Bytes are counted in
 * measured order; what was written first is read first. Not in the papers: a stream is a semaphore whose units are
 * bytes (1991 §4.3.2), taken many at a time.
 *
 * Of a read that did not have to wait the measured time tells nothing of the write; the general rule holds for both, as
 * its own time is kept where the write was earlier. Bytes that nobody was seen to write come from outside. */
#include "compensation/replay/rules/stream.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"

struct stream_write {
    struct replay_stamp stamp;
    uint64_t end; /* bytes of the stream up to its last */
};

struct stream {
    uint64_t written, read; /* bytes so far */
    struct replay_waiters readers;
    struct stream_write *writes; /* from `first` on: not read to their end */
    uint32_t first, count, room;
};

static const char order_rule[] = "a read ends after the write of what it got (1991 §4.3.2)";

static enum replay_step write_begins(struct replay *r, struct location_state *p, struct stream *s)
{
    uint64_t bytes = replay_a(p);
    enum replay_step step = replay_commit(r, p);
    if (s->count == s->room && s->first) { /* what was read makes room */
        s->count -= s->first;
        for (uint32_t i = 0; i < s->count; i++)
            s->writes[i] = s->writes[s->first + i];
        s->first = 0;
    }
    void *writes = s->writes;
    if (s->count == s->room && !replay_grow(&r->memory, &writes, &s->room, 4, sizeof *s->writes))
        return replay_no_memory(r);
    s->writes = writes;
    s->written += bytes;
    s->writes[s->count++] = (struct stream_write){replay_stamp_here(p), s->written};
    replay_wake(r, &s->readers);
    return step;
}

/* The location's last write wrote less than it said. */
static enum replay_step write_was_short(struct replay *r, struct location_state *p, struct stream *s)
{
    uint32_t i = s->count;
    uint64_t bytes = replay_a(p), before;
    while (i > s->first && s->writes[i - 1].stamp.location != p->index)
        i--;
    if (i > s->first) {
        before = i - 1 > s->first ? s->writes[i - 2].end : s->read;
        uint64_t asked = s->writes[i - 1].end > before ? s->writes[i - 1].end - before : 0;
        uint64_t less = bytes < asked ? asked - bytes : 0;
        for (uint32_t k = i - 1; k < s->count; k++)
            s->writes[k].end -= less;
        s->written -= less;
    }
    return replay_commit(r, p);
}

static enum replay_step read_ends(struct replay *r, struct location_state *p, struct stream *s)
{
    uint64_t end = s->read + replay_a(p);
    struct replay_stamp cause = {0};
    if (!replay_a(p))
        return replay_commit(r, p);
    if (end > s->written && s->written)
        return replay_suspend(r, p, &s->readers, order_rule);
    s->read = end;
    while (s->first < s->count && s->writes[s->first].end < end)
        s->first++;
    if (s->first < s->count) {
        cause = s->writes[s->first].stamp;
        s->first += s->writes[s->first].end == end;
    }
    return cause.happened ? replay_commit_waited(r, p, &cause, REPLAY_WAIT_STREAM, order_rule)
                          : replay_commit_external(r, p, PCOMP_EXTERNAL_READ);
}

enum replay_step stream_rule(struct replay *r, struct location_state *p)
{
    struct stream *s = replay_object(r, REPLAY_STREAMS, p, replay_value(p), sizeof *s);
    if (!s)
        return replay_no_memory(r);
    switch (p->kind) {
    case PCOMP_EVENT_STREAM_WRITE:
        return write_begins(r, p, s);
    case PCOMP_EVENT_STREAM_WRITTEN:
        return write_was_short(r, p, s);
    case PCOMP_EVENT_STREAM_DONE:
        return read_ends(r, p, s);
    default:
        return replay_commit(r, p);
    }
}
