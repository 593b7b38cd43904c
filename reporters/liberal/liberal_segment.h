/* The events of one location between two that synchronise, with the units of the loop among them: what a liberal
 * approximation re-maps. Read at the same time from the measured trace and from its conservative approximation, which
 * have the same records. Not thread-safe on one location. */
#ifndef PCOMP_LIBERAL_SEGMENT_H
#define PCOMP_LIBERAL_SEGMENT_H

#include "reporters/trace/files/trace_stack.h"
#include "reporters/trace/trace_directory.h"
#include "reporters/trace/trace_functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LIBERAL_BLOCK = 64 << 10,        /* bytes that are read at a time */
    LIBERAL_WITHOUT_UNITS = 4 << 20, /* bytes without a unit that are kept, in case units are mapped there */
    LIBERAL_MAX = 256 << 20          /* bytes of records of a phase */
};

struct liberal_unit {        /* offsets in the records of its segment */
    size_t enter, last, end; /* its first record, its last one, and behind that */
};

struct liberal_location {
    const struct trace_directory *traces; /* measured */
    struct trace_functions *functions;
    const char *function;            /* whose outermost activations are units */
    struct trace_file *approximated; /* of the conservative approximation */
    uint32_t index;
    size_t *bytes; /* of all locations */

    /* what was read and not yet looked at */
    unsigned char *blocks[2]; /* measured, approximated */
    size_t at, size;
    uint64_t event; /* number of the record at `at` */

    /* the segment */
    unsigned char *records;
    uint64_t *times; /* approximated, by record / 16 bytes */
    size_t used, room;
    struct liberal_unit *units;
    size_t unit_count, unit_room;
    uint64_t caller; /* value of the function that was active when the first unit began, or when the segment began */
    uint64_t unit_event;       /* number of the first record of the last unit */
    struct pcomp_event before; /* the record before the segment, measured; all zero: none */
    uint64_t before_approximated;
    bool incomplete; /* its beginning was too long to be kept */

    /* the event that ends it; none: the location has ended */
    bool closed;
    struct pcomp_event_long close;
    uint64_t close_approximated, close_event;

    struct trace_stack stack;
    uint32_t base, lowest; /* depth at which units are called; least depth since the last one */
    bool in_unit;
    uint64_t asked; /* value of an ENTER, and whether it is the function's */
    bool is_function;
};

/* Value of `caller` where no function was active. */
#define LIBERAL_NO_CALLER UINT64_MAX

/* False: out of memory. In any case free with liberal_location_close. */
bool liberal_location_open(struct liberal_location *location);
void liberal_location_close(struct liberal_location *location);

enum liberal_step {
    LIBERAL_SEGMENT, /* a whole one; `closed` false: the last */
    LIBERAL_LONG,    /* only the beginning of one in which there is no unit so far: write it, and call again */
    LIBERAL_FAILED   /* after writing to error */
};

/* Reads on, after what there is of the present segment was written (liberal_location_taken). */
enum liberal_step liberal_location_read(struct liberal_location *location, char *error, size_t error_size);

/* All records of the segment were written, its closing event included. */
void liberal_location_taken(struct liberal_location *location);

/* Measured tick of the first BARRIER_EXIT behind the segment; UINT64_MAX where there is none near. */
uint64_t liberal_location_exit(struct liberal_location *location, char *error, size_t error_size);

/* "DIR: LOCATION, event N: WHY (--liberal FUNCTION)" */
void liberal_location_fail(const struct liberal_location *location, uint64_t event, const char *why, char *error,
                           size_t error_size);

static inline struct pcomp_event *liberal_record(const struct liberal_location *l, size_t offset)
{
    return (struct pcomp_event *)(void *)(l->records + offset);
}

static inline uint64_t liberal_time(const struct liberal_location *l, size_t offset) /* approximated tick */
{
    return l->times[offset / sizeof(struct pcomp_event)];
}

#endif
