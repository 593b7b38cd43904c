/* The traces of a data directory for `pcomp info` and `pcomp record`: what there is, and making it smaller. */
#ifndef PCOMP_INFO_TRACES_H
#define PCOMP_INFO_TRACES_H

#include "reporters/base/emitter.h"
#include "reporters/profile/data_directory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_sums {
    uint64_t events, suppressed;
    uint64_t lost;   /* by traces, ... */
    uint64_t untold; /* ... those of them that the profile of their process does not have yet: it was killed, or runs */
    size_t locations;
    double cost; /* ns: events times what recording one costs */
};

/* Sums over the traces of `dir`; all 0 where there are none that can be read. */
struct trace_sums info_traces_sum(const char *dir);

/* Events that are in no trace: of traces, and of threads that have none. */
uint64_t info_traces_lost(const char *dir, const struct trace_sums *sums);

/* A table with a row for each; nothing where there is none. Returns a status. */
int info_traces(struct emitter *emitter, const struct data_directory *data, bool salvage);

/* Compresses the traces of processes that ended, and says how much was saved. Returns a status. */
int info_traces_compress(const char *dir);

#endif
