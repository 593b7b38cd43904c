/* Writes profile files for tests, benchmarks and the fuzzer's seeds: any tree, threads, open frames, with the layout of
 * profiler/format/profile_format.h and none of the profiler's code.
 *
 * Links are those of the file. Pointers that profile_writer_at gives hold until the next call that adds something.
 * Out of memory ends the program. */
#ifndef PCOMP_PROFILE_WRITER_H
#define PCOMP_PROFILE_WRITER_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>

#define WRITER_BASE    0x7f0000000000u
#define WRITER_THREADS 64

struct profile_writer {
    unsigned char *data; /* header and chunks */
    size_t size, room;
    uint32_t node_capacity;  /* of the next NODES chunks */
    uint32_t table_capacity; /* of the next FUNCTIONS and MODULES chunks */
    uint32_t text_capacity;  /* of the next STRINGS chunks, bytes */
    uint32_t functions, modules, threads;
    size_t function_chunk, module_chunk, text_chunk; /* offsets; 0 none */
    size_t node_chunk[WRITER_THREADS];
    uint64_t root[WRITER_THREADS], beyond[WRITER_THREADS], record[WRITER_THREADS]; /* links */
};

/* A closed process of one tick a nanosecond with the special functions; deltas 0, model split. extra flags: of the
 * header (PCOMP_FLAG_FOLD_RECURSION and COUNTS decide sizes). */
void profile_writer_init(struct profile_writer *w, uint32_t flags, uint32_t counters);

/* The same of a newer writer, every record of which is `longer` bytes (a multiple of 8) longer. */
void profile_writer_init_longer(struct profile_writer *w, uint32_t flags, uint32_t counters, uint32_t longer);
void profile_writer_free(struct profile_writer *w);

static inline struct pcomp_header *profile_writer_header(struct profile_writer *w)
{
    return (struct pcomp_header *)w->data;
}

/* The bytes behind a link. */
void *profile_writer_at(struct profile_writer *w, uint64_t link);

/* A chunk with room for `size` bytes of records; returns its offset. */
size_t profile_writer_chunk(struct profile_writer *w, uint32_t kind, uint64_t size, uint32_t owner, uint32_t record,
                            uint32_t capacity);

uint64_t profile_writer_text(struct profile_writer *w, const char *text, size_t size);
uint32_t profile_writer_module(struct profile_writer *w, const char *path, uint64_t bias, uint64_t size);
/* A function of a module at an address of the process; or a region, with UINT32_MAX and a name. Returns its id. */
uint32_t profile_writer_function(struct profile_writer *w, uint32_t module, uint64_t address, const char *region);

/* Returns the thread's index; its root and beyond nodes are w->root[] and w->beyond[], its record w->record[]. */
uint32_t profile_writer_thread(struct profile_writer *w, int tid, const char *name, uint32_t flags);

struct writer_counts {
    uint64_t calls, lookups, raw, slow_ticks, site;
    int64_t compensated; /* fixed-point */
    uint32_t flags;
};

/* Returns the node's link. min and max become compensated / calls. */
uint64_t profile_writer_node(struct profile_writer *w, uint32_t thread, uint64_t parent, uint32_t function,
                             struct writer_counts counts);

/* The cold part of a node. */
struct pcomp_node_extra *profile_writer_extra(struct profile_writer *w, uint64_t node);

/* With PCOMP_FLAG_COUNTS, without folding: time off the processor. */
struct pcomp_node_off_cpu *profile_writer_off_cpu(struct profile_writer *w, uint64_t node);

/* A stack of `count` frames of struct pcomp_frame (frame 0 is the root frame). Returns its chunk's offset. */
size_t profile_writer_stack(struct profile_writer *w, uint32_t thread, uint32_t id, uint32_t generation,
                            const struct pcomp_frame *frames, uint32_t count);

/* A chunk of `count` counters of calls (PCOMP_FLAG_COUNTS). Returns its offset. */
size_t profile_writer_counters(struct profile_writer *w, enum pcomp_counts_kind kind, const uint64_t *counters,
                               uint32_t count);

/* Frames of the sampled stacks of a thread (PCOMP_FLAG_COUNTS); their numbers go on behind those of its chunks before.
 * Says in the header that there is a sampler, with a period of 1 ms, and adds the hits to its samples. Returns the
 * chunk's offset. */
size_t profile_writer_stacks(struct profile_writer *w, uint32_t thread, const struct pcomp_stack_frame *frames,
                             uint32_t count);

/* The buckets of a node from `first` on, and its longest activation, unless `start` is 0. Returns the chunk's offset.
 */
size_t profile_writer_spread(struct profile_writer *w, uint32_t thread, uint64_t node, uint32_t first,
                             const uint32_t *counts, uint32_t n, int64_t longest, uint64_t start);

/* What windows tell of sampled functions (PCOMP_FLAG_COUNTS). Returns the chunk's offset. */
size_t profile_writer_windows(struct profile_writer *w, const struct pcomp_sampled_calls *records, uint32_t count);

/* The record of a function. */
struct pcomp_function *profile_writer_function_at(struct profile_writer *w, uint32_t id);

/* Completes the header (used, counts). The bytes are w->data, w->size. */
void profile_writer_finish(struct profile_writer *w);

/* Finishes and writes the file. */
bool profile_writer_save(struct profile_writer *w, const char *path);

#endif
