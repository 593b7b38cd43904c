/* Perfetto's trace format (TrackEvent). Every location is a packet sequence with a clock that counts from event to
 * event, its track by default, and its names numbered: an event is 13 to 15 bytes. A link is an instant at either of
 * its ends, on the absolute clock: the one that comes first in time is told of when the trace is further on. */
#include "reporters/export/export_trace.h"

#include "reporters/export/perfetto.pb-c.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLOCK_BOOTTIME = 6,
    CLOCK_DELTA = 64,         /* the first that a sequence may define itself */
    SEQUENCE_CLEARED = 1,     /* flags of a packet: what was interned before is void */
    SEQUENCE_NEEDS_STATE = 2, /* it refers to interned names, or defaults */
    CATEGORY_OPERATION = 1,   /* number of the category; functions have none */
    TAG_PACKET = 0x0a,        /* Trace.packet, length-delimited */
    PACKET_HEAD = 11          /* bytes of the tag and a length, at most */
};

#define LINK_NAMES 4u /* kinds of links, numbered behind the other names */

struct perfetto_sequence {
    uint64_t last;        /* ns */
    unsigned char *known; /* bits by name: interned in this sequence */
    bool category_known;
};

struct perfetto {
    FILE *out;
    const char *const *names;
    uint32_t name_count;
    struct perfetto_sequence *sequences; /* by location */
    uint32_t sequence_count;
    unsigned char *buffer; /* of a packet */
    size_t room;
    const char *link_names[LINK_NAMES];
};

static bool perfetto_packet(struct perfetto *p, uint32_t location, Perfetto__TracePacket *packet)
{
    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = location + 1;
    size_t size = perfetto__trace_packet__get_packed_size(packet);
    if (size + PACKET_HEAD > p->room) {
        free(p->buffer);
        p->room = 2 * (size + PACKET_HEAD);
        p->buffer = malloc(p->room);
        if (!p->buffer) {
            p->room = 0;
            return false;
        }
    }
    size_t head = 0, length = size;
    p->buffer[head++] = TAG_PACKET;
    for (; length > 0x7f; length >>= 7)
        p->buffer[head++] = (unsigned char)(length | 0x80);
    p->buffer[head++] = (unsigned char)length;
    perfetto__trace_packet__pack(packet, p->buffer + head);
    fwrite(p->buffer, 1, head + size, p->out);
    return true;
}

static bool perfetto_begin(void *context, FILE *out, const char *directory, const char *const *names, uint32_t count)
{
    struct perfetto *p = context;
    (void)directory;
    p->out = out;
    p->names = names;
    p->name_count = count;
    return true;
}

static bool perfetto_track(struct perfetto *p, uint32_t location, Perfetto__TrackDescriptor *track)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    packet.track_descriptor = track;
    return perfetto_packet(p, location, &packet);
}

static uint64_t track_of(uint32_t location)
{
    return (uint64_t)location + 1;
}

static uint64_t process_track_of(uint32_t pid)
{
    return 1ull << 32 | pid;
}

static bool perfetto_process(struct perfetto *p, uint32_t location, const struct trace_slice_location *about)
{
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    process.has_pid = true;
    process.pid = (int32_t)about->pid;
    process.process_name = (char *)(uintptr_t)about->process_name;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    track.has_uuid = true;
    track.uuid = process_track_of(about->pid);
    track.process = &process;
    return perfetto_track(p, location, &track);
}

static bool perfetto_thread(struct perfetto *p, uint32_t location, const struct trace_slice_location *about)
{
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
    thread.has_pid = thread.has_tid = true;
    thread.pid = (int32_t)about->pid;
    thread.tid = (int32_t)location + 1; /* one number is one thread, in all processes */
    thread.thread_name = (char *)(uintptr_t)about->name;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    track.has_uuid = true;
    track.uuid = track_of(location);
    track.thread = &thread;
    return perfetto_track(p, location, &track);
}

/* Begins the sequence: the clock that counts from event to event, and the track. */
static bool perfetto_defaults(struct perfetto *p, uint32_t location)
{
    Perfetto__ClockSnapshot__Clock clocks[2] = {PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT,
                                                PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT};
    Perfetto__ClockSnapshot__Clock *both[2] = {&clocks[0], &clocks[1]};
    for (int i = 0; i < 2; i++) {
        clocks[i].has_clock_id = clocks[i].has_timestamp = true;
        clocks[i].clock_id = i ? CLOCK_DELTA : CLOCK_BOOTTIME;
    }
    clocks[1].has_is_incremental = clocks[1].is_incremental = true;
    Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
    snapshot.n_clocks = 2;
    snapshot.clocks = both;
    Perfetto__TrackEventDefaults event = PERFETTO__TRACK_EVENT_DEFAULTS__INIT;
    event.has_track_uuid = true;
    event.track_uuid = track_of(location);
    Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
    defaults.track_event_defaults = &event;
    defaults.has_timestamp_clock_id = true;
    defaults.timestamp_clock_id = CLOCK_DELTA;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    packet.clock_snapshot = &snapshot;
    packet.trace_packet_defaults = &defaults;
    packet.has_sequence_flags = true;
    packet.sequence_flags = SEQUENCE_CLEARED;
    packet.has_timestamp = packet.has_timestamp_clock_id = true;
    packet.timestamp_clock_id = CLOCK_BOOTTIME;
    return perfetto_packet(p, location, &packet);
}

static bool perfetto_location(void *context, uint32_t location, const struct trace_slice_location *about)
{
    struct perfetto *p = context;
    struct perfetto_sequence *grown = reallocarray(p->sequences, location + (size_t)1, sizeof *grown);
    if (!grown)
        return false;
    p->sequences = grown;
    p->sequences[location] = (struct perfetto_sequence){.known = calloc((p->name_count + LINK_NAMES) / 8 + 1, 1)};
    p->sequence_count = location + 1;
    return p->sequences[location].known && perfetto_defaults(p, location) &&
           (!about->first || perfetto_process(p, location, about)) && perfetto_thread(p, location, about);
}

/* The name's number in the event; where the sequence does not know it yet, the packet tells. */
static void perfetto_name(const struct perfetto *p, uint32_t location, uint32_t name, Perfetto__TracePacket *packet,
                          Perfetto__InternedData *data, Perfetto__InternedName *interned, Perfetto__InternedName **list)
{
    unsigned char *known = &p->sequences[location].known[name / 8], bit = (unsigned char)(1u << name % 8);
    packet->track_event->has_name_iid = true;
    packet->track_event->name_iid = (uint64_t)name + 1;
    if (*known & bit)
        return;
    *known |= bit;
    const char *text = name < p->name_count ? p->names[name] : p->link_names[name - p->name_count];
    interned->has_iid = true;
    interned->iid = (uint64_t)name + 1;
    interned->name = (char *)(uintptr_t)text;
    *list = interned;
    data->n_event_names = 1;
    data->event_names = list;
    packet->interned_data = data;
}

/* The next moment of the location's own clock. */
static void perfetto_time(struct perfetto *p, uint32_t location, uint64_t time, Perfetto__TracePacket *packet)
{
    packet->has_timestamp = true;
    packet->timestamp = time - p->sequences[location].last;
    p->sequences[location].last = time;
    packet->has_sequence_flags = true;
    packet->sequence_flags = SEQUENCE_NEEDS_STATE;
}

static bool perfetto_enter(void *context, uint32_t location, uint64_t time, uint32_t name, enum trace_slice_kind kind)
{
    struct perfetto *p = context;
    struct perfetto_sequence *sequence = &p->sequences[location];
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__InternedName interned = PERFETTO__INTERNED_NAME__INIT, operation = PERFETTO__INTERNED_NAME__INIT, *list,
                           *categories = &operation;
    uint64_t number = CATEGORY_OPERATION;
    packet.track_event = &event;
    event.has_type = true;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
    perfetto_name(p, location, name, &packet, &data, &interned, &list);
    perfetto_time(p, location, time, &packet);
    if (kind != TRACE_SLICE_FUNCTION) {
        event.n_category_iids = 1;
        event.category_iids = &number;
        if (!sequence->category_known) {
            sequence->category_known = true;
            operation.has_iid = true;
            operation.iid = number;
            operation.name = (char *)(uintptr_t) "operation";
            data.n_event_categories = 1;
            data.event_categories = &categories;
            packet.interned_data = &data;
        }
    }
    return perfetto_packet(p, location, &packet);
}

static bool perfetto_leave(void *context, uint32_t location, uint64_t time)
{
    struct perfetto *p = context;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    packet.track_event = &event;
    event.has_type = true;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
    perfetto_time(p, location, time, &packet);
    return perfetto_packet(p, location, &packet);
}

static uint32_t perfetto_link_name(struct perfetto *p, const char *kind)
{
    uint32_t i = 0;
    while (i + 1 < LINK_NAMES && p->link_names[i] && strcmp(p->link_names[i], kind) != 0)
        i++;
    p->link_names[i] = kind;
    return p->name_count + i;
}

static bool perfetto_link(void *context, uint64_t number, const char *kind, uint32_t from, uint64_t from_time,
                          uint32_t to, uint64_t to_time)
{
    struct perfetto *p = context;
    uint32_t name = perfetto_link_name(p, kind);
    for (int end = 0; end < 2; end++) {
        Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
        Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
        Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
        Perfetto__InternedName interned = PERFETTO__INTERNED_NAME__INIT, *list;
        packet.track_event = &event;
        event.has_type = true;
        event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
        event.n_flow_ids = !end;
        event.flow_ids = &number;
        event.n_terminating_flow_ids = (size_t)end;
        event.terminating_flow_ids = &number;
        packet.has_timestamp = packet.has_timestamp_clock_id = packet.has_sequence_flags = true;
        packet.timestamp = end ? to_time : from_time;
        packet.timestamp_clock_id = CLOCK_BOOTTIME;
        packet.sequence_flags = SEQUENCE_NEEDS_STATE;
        perfetto_name(p, end ? to : from, name, &packet, &data, &interned, &list);
        if (!perfetto_packet(p, end ? to : from, &packet))
            return false;
    }
    return true;
}

static bool perfetto_end(void *context)
{
    (void)context;
    return true;
}

static void perfetto_close(void *context)
{
    struct perfetto *p = context;
    for (uint32_t i = 0; i < p->sequence_count; i++)
        free(p->sequences[i].known);
    free(p->sequences);
    free(p->buffer);
}

int export_perfetto(const char *dir, bool salvage, const struct export_window *window, const char *path)
{
    struct perfetto p = {.room = 0};
    const struct export_trace_writer writer = {
        .sink = {&p, perfetto_location, perfetto_enter, perfetto_leave, perfetto_link},
        .begin = perfetto_begin,
        .end = perfetto_end,
        .close = perfetto_close};
    return export_trace(dir, salvage, window, path, &writer);
}
