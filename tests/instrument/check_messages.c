/* check_messages EXPECTATIONS FILE...: holds the traces of one MPI job to the laws of messages and collectives, and to
 * the "expect" lines of EXPECTATIONS (the output of a program):
 *
 *   expect locations N        traces
 *   expect ranks N, sent N, received N, gone N, probed N, collectives N     over all ranks
 *   expect clocks N           ranks whose clock was measured to be another one than that of rank 0
 *
 * Lines without "expect " are ignored. Prints each miss; exit status 1 if there is one. */
#include "tests/instrument/check_collectives.h"
#include "tests/support/trace_events.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 9, EXTERNAL = 8 };
static const char *const count_names[COUNTS] = {"ranks",       "sent",   "received",  "gone",    "probed",
                                                "collectives", "clocks", "locations", "external"};
static long counts[COUNTS];
static int misses;
uint64_t clock_error;

void miss(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("MISS ");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    misses++;
}

struct message {
    uint64_t posted, done; /* time */
    uint64_t bytes;        /* sent, or received */
    uint64_t room;         /* for it */
    uint64_t request, asked;
    int from, to;
    uint32_t tag, comm;
    size_t order; /* of posting */
    bool gone, is_done;
};

struct messages {
    struct message *all;
    size_t count;
};

static struct messages sends, receives;

static struct message *message_new(struct messages *messages)
{
    messages->all = realloc(messages->all, (messages->count + 1) * sizeof *messages->all);
    messages->all[messages->count] = (struct message){.order = messages->count};
    return &messages->all[messages->count++];
}

static bool is_send_post(uint32_t kind)
{
    return kind >= PCOMP_EVENT_SEND_POST && kind <= PCOMP_EVENT_SEND_POST_READY;
}

/* The message of this rank, from the first-th on, that is under way with the request; NULL after a miss. */
static struct message *under_way(struct messages *messages, size_t first, uint64_t request, int rank)
{
    for (size_t i = first; i < messages->count; i++)
        if (messages->all[i].request == request && !messages->all[i].is_done && !messages->all[i].gone)
            return &messages->all[i];
    miss("rank %d: request %" PRIu64 ": done without having been posted", rank, request);
    return NULL;
}

/* Puts the events on the clock of rank 0: the offset is interpolated between its two measurements. */
static void to_one_clock(struct trace_events *trace)
{
    const struct pcomp_trace_header *h = &trace->header;
    for (int which = 0; which < 2; which++)
        if (clock_error < h->offset_error[which])
            clock_error = h->offset_error[which];
    double span = (double)h->offset_tick[1] - (double)h->offset_tick[0];
    for (size_t i = 0; i < trace->count && span > 0; i++) {
        double part = ((double)trace->events[i].time - (double)h->offset_tick[0]) / span;
        trace->events[i].time += (uint64_t)(h->offset[0] + (int64_t)(part * (double)(h->offset[1] - h->offset[0])));
    }
}

/* One rank's events: every message posted is done, inside a wait if it has a request. */
static void read_messages(const struct trace_events *trace)
{
    size_t first_send = sends.count, first_receive = receives.count;
    int rank = trace->header.rank;
    bool waiting = false;
    int flushing = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct pcomp_event_long *event = &trace->events[i];
        uint32_t kind = (uint32_t)(event->what >> 56), partner = (uint32_t)(event->a >> 32);
        uint64_t bytes = event->what & PCOMP_EVENT_VALUE, request = event->b >> 24;
        struct message *message = NULL;
        if (event->time < before)
            miss("rank %d: event %zu: time steps back", rank, i);
        before = event->time;
        if (kind == PCOMP_EVENT_WAIT_ENTER || kind == PCOMP_EVENT_WAIT_EXIT) {
            if (waiting != (kind == PCOMP_EVENT_WAIT_EXIT))
                miss("rank %d: event %zu: a wait inside a wait, or none that ends", rank, i);
            waiting = !waiting;
        } else if (kind == PCOMP_EVENT_FLUSH_BEGIN || kind == PCOMP_EVENT_FLUSH_END) {
            if (kind == PCOMP_EVENT_FLUSH_END && !flushing)
                miss("rank %d: event %zu: own work ends that has not begun", rank, i);
            flushing += kind == PCOMP_EVENT_FLUSH_BEGIN ? 1 : -1; /* a flush may come while it lasts */
        } else if (kind == PCOMP_EVENT_EXTERNAL_END) {
            counts[EXTERNAL]++;
        } else if (is_send_post(kind) || kind == PCOMP_EVENT_RECV_POST) {
            message = message_new(is_send_post(kind) ? &sends : &receives);
            message->posted = event->time;
            message->bytes = message->room = bytes;
            message->request = request;
            message->asked = event->a;
            message->from = is_send_post(kind) ? rank : (int)partner;
            message->to = is_send_post(kind) ? (int)partner : rank;
            message->tag = (uint32_t)event->a;
            message->comm = (uint32_t)event->b & 0xffffff;
        } else if (kind == PCOMP_EVENT_SEND_DONE) {
            if ((message = under_way(&sends, first_send, request, rank))) {
                if (bytes != message->bytes || event->a != message->asked)
                    miss("rank %d: event %zu: another message was sent than posted", rank, i);
                message->is_done = true;
                counts[1]++;
            }
        } else if (kind == PCOMP_EVENT_RECV_DONE) {
            if ((message = under_way(&receives, first_receive, request, rank))) {
                uint32_t peer = (uint32_t)(message->asked >> 32), tag = (uint32_t)message->asked;
                if ((peer != PCOMP_EVENT_ANY && peer != partner) ||
                    (tag != PCOMP_EVENT_ANY && tag != (uint32_t)event->a))
                    miss("rank %d: event %zu: another message came than asked for", rank, i);
                message->is_done = true;
                message->done = event->time;
                message->bytes = bytes;
                message->from = (int)partner;
                message->tag = (uint32_t)event->a;
                counts[2]++;
            }
        } else if (kind == PCOMP_EVENT_REQUEST_GONE) {
            bool sent = is_send_post((uint32_t)bytes);
            if ((message = under_way(sent ? &sends : &receives, sent ? first_send : first_receive, request, rank)))
                message->gone = true;
            message = NULL;
            counts[3]++;
        } else if (kind == PCOMP_EVENT_PROBE_EXIT)
            counts[4]++;
        else if (kind == PCOMP_EVENT_COLLECTIVE_ENTER)
            counts[5]++;
        if (message && request && message->is_done && !waiting)
            miss("rank %d: event %zu: a request is done outside a wait", rank, i);
    }
    if (waiting || flushing)
        miss("rank %d: ends inside a wait or own work", rank);
    for (size_t i = first_send; i < sends.count; i++)
        if (!sends.all[i].is_done && !sends.all[i].gone)
            miss("rank %d: a send to %d with tag %u was never done", rank, sends.all[i].to, sends.all[i].tag);
    for (size_t i = first_receive; i < receives.count; i++)
        if (!receives.all[i].is_done && !receives.all[i].gone)
            miss("rank %d: a receive of tag %u was never done", rank, receives.all[i].tag);
}

static int channel_order(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static size_t drop_gone(struct messages *messages)
{
    size_t kept = 0;
    for (size_t i = 0; i < messages->count; i++)
        if (!messages->all[i].gone)
            messages->all[kept++] = messages->all[i];
    return kept;
}

/* The k-th message that was sent from one rank to another, with a tag on a communicator, is the k-th that was received.
 */
static void match_messages(void)
{
    sends.count = drop_gone(&sends);
    receives.count = drop_gone(&receives);
    qsort(sends.all, sends.count, sizeof *sends.all, channel_order);
    qsort(receives.all, receives.count, sizeof *receives.all, channel_order);
    if (sends.count != receives.count)
        miss("%zu messages were sent, %zu received", sends.count, receives.count);
    for (size_t i = 0; i < sends.count && i < receives.count; i++) {
        const struct message *s = &sends.all[i], *r = &receives.all[i];
        bool whole = s->bytes == r->bytes || s->bytes > r->room; /* or was too long for its buffer */
        if (s->from != r->from || s->to != r->to || s->comm != r->comm || s->tag != r->tag || !whole) {
            miss("sent %d -> %d tag %u comm %u, %" PRIu64 " bytes; received %d -> %d tag %u comm %u, %" PRIu64 " bytes",
                 s->from, s->to, s->tag, s->comm, s->bytes, r->from, r->to, r->tag, r->comm, r->bytes);
            return;
        }
        if (s->posted >= r->done + clock_error)
            miss("%d -> %d tag %u: received before it was sent", s->from, s->to, s->tag);
    }
}

static void expectations(const char *path)
{
    char line[256], name[64];
    long value;
    FILE *file = fopen(path, "r");
    int any = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "expect %63s %ld", name, &value) != 2)
            continue;
        any = 1;
        int which = 0;
        while (which < COUNTS && strcmp(name, count_names[which]) != 0)
            which++;
        if (which == COUNTS)
            miss("expect %s: is no such thing", name);
        else if (which == EXTERNAL ? counts[which] < value : counts[which] != value) /* MPI polls, too */
            miss("%s: %ld instead of %ld", name, counts[which], value);
    }
    if (file)
        fclose(file);
    if (!any)
        miss("%s: expects nothing", path);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        struct trace_events trace;
        const char *wrong = trace_events_read(argv[i], &trace);
        if (wrong)
            miss("%s: %s", argv[i], wrong);
        else if (trace.header.rank < 0)
            miss("%s: has no rank", argv[i]);
        else {
            counts[7]++;
            bool first = trace.header.flags & PCOMP_TRACE_MAIN;
            counts[0] += first;
            counts[6] += first && trace.header.offset_error[0] != 0 && trace.header.offset_error[1] != 0;
            if (trace.header.alpha[PCOMP_EVENT_SEND_POST] < trace.header.alpha[PCOMP_EVENT_ENTER] / 3)
                miss("%s: recording a message is said to cost next to nothing", argv[i]);
            if (trace.header.alpha[PCOMP_EVENT_SEND_POST] < trace.header.alpha[PCOMP_EVENT_PROBE_ENTER] ||
                trace.header.alpha[PCOMP_EVENT_COLLECTIVE_EXIT] < trace.header.alpha[PCOMP_EVENT_PROBE_ENTER])
                miss("%s: a wrapper is said to cost less than its events", argv[i]);
            if (trace.header.world > 1 && !trace.header.eager_max)
                miss("%s: no message is said to be sent without its receiver", argv[i]);
            if (trace.header.rendezvous_min && trace.header.rendezvous_min <= trace.header.eager_max)
                miss("%s: messages of one size are said to wait and not to wait", argv[i]);
            to_one_clock(&trace);
            read_messages(&trace);
            collectives_read(&trace);
        }
        free(trace.events);
    }
    match_messages();
    collectives_check();
    if (argc > 1)
        expectations(argv[1]);
    free(sends.all);
    free(receives.all);
    return misses ? 1 : 0;
}
