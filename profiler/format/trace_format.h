/* The trace file of one location (a thread): DIR/<pid>-<n>.<location>.trace beside the profile file DIR/<pid>-<n>.pcomp
 * of its process, which has the modules, the command line and the clock.
 *
 *   offset 0                    header_size
 *   | struct pcomp_trace_header | segment | segment | ... |
 *
 *   segment:  | struct pcomp_trace_segment | records (compensation/trace_event/event.h) | zeroes |
 *
 * The recorder maps one segment at a time and writes records into it; what has been written survives any death of the
 * process. Records do not cross segments. Segments lie one behind the other, each a multiple of 4096 bytes; when the
 * size is limited to a ring, a full file goes on with its oldest segment: readers order them by `sequence`. All
 * integers are in the byte order of the machine. A reader never trusts a size. */
#ifndef PCOMP_TRACE_FORMAT_H
#define PCOMP_TRACE_FORMAT_H

#include "compensation/trace_event/event.h"

#define PCOMP_TRACE_MAGIC "pcomptrc" /* 8 bytes, no terminator */
/* 1 had neither SUPPRESSED nor UNRECORDED, 2 no EXTERNAL and no STREAM, 3 no PREEMPTED, 4 no COUNTED and no CALLS */
#define PCOMP_TRACE_VERSION       5u
#define PCOMP_TRACE_OLDEST        1u
#define PCOMP_TRACE_SEGMENT_MAGIC 0x47455350u /* "PSEG" on little endian */
#define PCOMP_TRACE_SUFFIX        ".trace"

enum pcomp_trace_flags {
    PCOMP_TRACE_RING = 1,         /* older segments may have been overwritten */
    PCOMP_TRACE_MAIN = 2,         /* the main thread of its process */
    PCOMP_TRACE_APPROXIMATED = 4, /* times are those of a replay: alphas have been removed and are 0 */
    PCOMP_TRACE_CLOSED = 8,       /* the thread, or its process, reached its end */
    PCOMP_TRACE_REMAPPED = 16     /* between two passes of a replay: events were re-mapped, there are CLOCK_SETs */
};

struct pcomp_trace_offset { /* clock of rank 0 less this clock, ticks */
    uint64_t tick;
    int64_t offset;
    uint64_t error; /* half of the round trip of the measurement */
};

#define PCOMP_TRACE_OFFSETS 64 /* measured on the way: more than that, and every other one is dropped */

struct pcomp_trace_header { /* 4096 bytes */
    char magic[8];
    uint32_t version, endian; /* PCOMP_ENDIAN */
    uint32_t header_size, segment_header_size;
    uint32_t flags;    /* enum pcomp_trace_flags */
    uint32_t location; /* within the process: index of the thread */
    int32_t pid, tid;
    int32_t rank;  /* MPI_COMM_WORLD; -1 none */
    int32_t world; /* size of MPI_COMM_WORLD; 0 none */
    uint8_t run_id[16];
    uint64_t segments;    /* begun, overwritten ones included */
    uint64_t size;        /* bytes of the file that are in use */
    uint64_t lost;        /* records that were not kept; a LOST record tells where */
    uint64_t overwritten; /* records that a ring has overwritten */
    uint64_t tick0, mono0_ns, tick1,
        mono1_ns; /* two pairs of readings: ticks to ns; the second renewed with segments */
    double tick_hz;
    /* Clock of rank 0 = this clock + offset, interpolated between measurements (2005 §5) at the start, on the way and
     * at the end; 0 in between: one clock. */
    uint64_t offset_tick[2];
    int64_t offset[2];                /* ticks */
    uint64_t offset_error[2];         /* ticks: half of the round trip of the measurement */
    char name[64];                    /* of the thread */
    int64_t alpha[PCOMP_EVENT_KINDS]; /* overhead of recording one event of a kind, 1/1024 tick, mean */
    /* The same of an ENTER or an EXIT, mean of both, measured while the program ran: sum, sum of
     * squares (1/1024 tick^2), number */
    int64_t in_place_sum;
    uint64_t in_place_squares;
    uint64_t in_place_count;
    uint64_t suppressed; /* calls of functions that were not recorded (--budget-trace), at the last look */
    /* Of sends of this process whose receiver had not come: bytes of the largest that was sent all the same, and of the
     * smallest that was not; both 0: not known, as in older files. */
    uint64_t eager_max, rendezvous_min;
    uint32_t processors;   /* that the process may use; 0: not known, as in older files */
    uint32_t offset_count; /* of offsets measured on the way; 0 in older files */
    struct pcomp_trace_offset offsets[PCOMP_TRACE_OFFSETS];
    uint64_t node;                  /* the machine: a hash of its name and its boot; 0: not known, as in older files */
    int64_t context, context_error; /* what an event costs more among the program's work than alpha says, and its
                                     * standard deviation, 1/1024 tick; both 0: not known, as in older files */
    uint8_t reserved[4096 - 2376 - PCOMP_TRACE_OFFSETS * 24];
};

struct pcomp_trace_segment { /* 64 bytes */
    uint32_t magic;
    uint32_t reserved0;
    uint64_t size;        /* of the whole segment, this header included; multiple of 4096 */
    uint64_t sequence;    /* 1, 2, ... in order of time */
    uint64_t first_event; /* number of its first record in the location, lost ones not counted; from 0 */
    uint64_t used; /* bytes of records, written when the segment is left; 0: up to the last record that is not zero */
    uint64_t alpha_spread; /* 1/1024 tick: standard deviation of alpha when the file was begun (the same in all) */
    uint64_t reserved[2];
};

_Static_assert(sizeof(struct pcomp_trace_header) == 4096, "the header is a page");

#endif
