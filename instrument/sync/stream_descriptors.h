/* What a descriptor is of, and how a call that reads or writes is recorded. */
#ifndef PCOMP_STREAM_DESCRIPTORS_H
#define PCOMP_STREAM_DESCRIPTORS_H

#include "instrument/sync/external_wait.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum stream_kind { UNKNOWN, FILE_LIKE, OUTSIDE, STREAM, EVENTFD };

struct descriptor {
    uint64_t in, out; /* names of what is read and written */
    uint32_t kind;    /* enum stream_kind */
};

/* FILE_LIKE where nothing is to be recorded. */
struct descriptor stream_descriptor(int fd);

/* There is no room: who writes waits for the reader, by which no rule goes. */
bool stream_is_full(int fd);

/* The value of a call that reads, whose result is `got` bytes; `counted` may use it. */
#define READ(fd, call, counted)                                                                                        \
    do {                                                                                                               \
        struct descriptor from = stream_descriptor(fd);                                                                \
        if (from.kind == FILE_LIKE)                                                                                    \
            return call;                                                                                               \
        if (from.kind == OUTSIDE)                                                                                      \
            return EXTERNAL_WAIT(PCOMP_EXTERNAL_READ, call);                                                           \
        trace_event_long(PCOMP_EVENT_STREAM_READ, from.in, 0, 0);                                                      \
        ssize_t got = (call);                                                                                          \
        trace_event_long(PCOMP_EVENT_STREAM_DONE, from.in, got > 0 ? (uint64_t)(counted) : 0, 0);                      \
        return got;                                                                                                    \
    } while (0)

/* The same of one that writes `asked` bytes. */
#define WRITE(fd, call, asked)                                                                                         \
    do {                                                                                                               \
        struct descriptor to = stream_descriptor(fd);                                                                  \
        if (to.kind == FILE_LIKE)                                                                                      \
            return call;                                                                                               \
        if (to.kind == OUTSIDE)                                                                                        \
            return EXTERNAL_WAIT(PCOMP_EXTERNAL_WRITE, call);                                                          \
        bool waits = stream_is_full(fd);                                                                               \
        uint64_t wanted = asked;                                                                                       \
        trace_event_long(PCOMP_EVENT_STREAM_WRITE, to.out, wanted, 0);                                                 \
        ssize_t put = waits ? EXTERNAL_WAIT(PCOMP_EXTERNAL_WRITE, call) : (call);                                      \
        uint64_t written = put <= 0 ? 0 : to.kind == EVENTFD ? wanted : (uint64_t)put;                                 \
        if (written != wanted)                                                                                         \
            trace_event_long(PCOMP_EVENT_STREAM_WRITTEN, to.out, written, 0);                                          \
        return put;                                                                                                    \
    } while (0)

#endif
