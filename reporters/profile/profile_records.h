/* One profile file, opened and checked: every later access through this interface stays inside the file.
 *
 * The layout is profiler/format/profile_format.h. Sizes of records come from the file (a newer writer may have longer
 * ones), so records are reached with the accessors below, never as arrays. The mapping is private and read-only; of
 * a file that a process is still writing, a copy is taken, so that nothing changes while it is read.
 *
 * Not thread-safe while opening; read-only and shareable afterwards. */
#ifndef PCOMP_PROFILE_RECORDS_H
#define PCOMP_PROFILE_RECORDS_H

#include "profiler/format/profile_format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NONE UINT32_MAX /* no such record */

struct profile_chunk {
    uint64_t offset;       /* of the chunk header in the file */
    uint64_t records;      /* offset of its first record */
    uint64_t extras;       /* NODES: offset of the first extra */
    uint32_t kind, owner;  /* owner: index of the thread */
    uint32_t stride;       /* bytes from record to record */
    uint32_t count;        /* records that can be read */
    uint32_t first_record; /* number of records of this kind in the chunks before */
    uint32_t counts_kind;  /* COUNTS: enum pcomp_counts_kind */
};

struct profile_thread {
    const struct pcomp_thread *record;
    uint32_t first_stack, stack_count; /* in profile_file.stacks */
    uint32_t root, beyond;             /* node indices; PROFILE_NONE when missing */
};

struct profile_stack {
    const struct pcomp_stack *record;
    uint64_t frames; /* offset of frame 0 */
    uint32_t frame_count;
    uint32_t thread; /* index in profile_file.threads */
};

struct profile_file {
    char *path; /* as given */
    struct pcomp_header header;
    const uint8_t *data;
    uint64_t size;      /* bytes that can be read, at most header.used */
    uint64_t read_mono; /* CLOCK_MONOTONIC ns when the copy of a live file was complete; 0 otherwise */

    struct profile_chunk *chunks; /* in file order, without free ones */
    uint32_t chunk_count;
    uint32_t *page_chunk; /* for each 4096 bytes: index of the NODES chunk there, or PROFILE_NONE */
    uint32_t node_count, function_count, module_count;
    const struct pcomp_function **functions; /* by id */
    const struct pcomp_module **modules;     /* by id */
    struct profile_thread *threads;          /* in file order */
    uint32_t thread_count;
    struct profile_stack *stacks; /* of current generation, grouped by thread */
    uint32_t stack_count;

    uint64_t left_out_bytes; /* salvage: bytes that hold no readable chunk */
    uint64_t left_out_nodes; /* salvage, live: nodes that lead nowhere */
    char *damage;            /* salvage: what was wrong first, as the error would have said; NULL nothing */

    bool salvage;
    bool mapped; /* data is a mapping, of map_size bytes */
    uint64_t map_size;
};

void profile_file_close(struct profile_file *file);

/* Bytes up to which all pages of a file are mapped at once, and kept: the checks read them, and who opened it again. */
#define PROFILE_KEPT_MAX ((uint64_t)16 << 20)

/* Gives the memory of these bytes back, until they are read again; nothing where they are no mapping of a file, or of a
 * small one. */
void profile_file_release(const struct profile_file *file, uint64_t from, uint64_t to);

/* The same for a chunk of nodes. */
void profile_release_nodes(const struct profile_file *file, const struct profile_chunk *chunk);

/* Threads that had this record, one after the other. */
uint64_t profile_threads_of(const struct profile_file *file, const struct pcomp_thread *thread);

/* Index of the node a link leads to; PROFILE_NONE when it leads to no node. */
uint32_t profile_node_index(const struct profile_file *file, uint64_t link);

/* Chunk that holds node `index` (index < node_count). */
const struct profile_chunk *profile_node_chunk(const struct profile_file *file, uint32_t index);

/* Id of the module that an address of the process lies in, an unloaded one only where no other does; PROFILE_NONE. */
uint32_t profile_module_at(const struct profile_file *file, uint64_t address);

/* Text a link leads to, or NULL when it is none or not NUL-terminated inside a STRINGS chunk. */
const char *profile_text(const struct profile_file *file, uint64_t link);

/* Bytes from the text at `link` to the end of its chunk (for the command line, whose end is two NULs). */
const char *profile_text_block(const struct profile_file *file, uint64_t link, size_t *size);

/* Record `i` (i < chunk->count) of a NODES chunk, and what belongs to it. */
static inline const struct pcomp_node *profile_node(const struct profile_file *file, const struct profile_chunk *chunk,
                                                    uint32_t i)
{
    return (const struct pcomp_node *)(file->data + chunk->records + (uint64_t)i * chunk->stride);
}

static inline const struct pcomp_node_extra *profile_node_extra(const struct profile_file *file,
                                                                const struct profile_chunk *chunk, uint32_t i)
{
    return (const struct pcomp_node_extra *)(file->data + chunk->extras + (uint64_t)i * file->header.node_extra_size);
}

/* Calls of a node that were looked up. */
static inline uint64_t profile_node_lookups(const struct pcomp_node *node, const struct pcomp_node_extra *extra)
{
    return (uint64_t)extra->lookups_high << 32 | node->lookups;
}

/* Counter `i` of a COUNTS chunk. */
static inline uint64_t profile_counter(const struct profile_file *file, const struct profile_chunk *chunk, uint32_t i)
{
    return ((const uint64_t *)(file->data + chunk->records))[i];
}

/* Only with PCOMP_FLAG_FOLD_RECURSION. */
static inline const struct pcomp_node_exclusive *profile_node_exclusive(const struct profile_file *file,
                                                                        const struct pcomp_node_extra *extra)
{
    (void)file;
    return (const struct pcomp_node_exclusive *)(extra + 1);
}

/* header.counter_count of them. */
static inline const struct pcomp_node_counter *profile_node_counters(const struct profile_file *file,
                                                                     const struct pcomp_node_extra *extra)
{
    bool folded = file->header.flags & PCOMP_FLAG_FOLD_RECURSION;
    return (const struct pcomp_node_counter *)(profile_node_exclusive(file, extra) + folded);
}

/* Whether nodes have time off the processor. */
static inline bool profile_has_off_cpu(const struct pcomp_header *h)
{
    return h->flags & PCOMP_FLAG_COUNTS;
}

/* Only with profile_has_off_cpu. */
static inline const struct pcomp_node_off_cpu *profile_node_off_cpu(const struct profile_file *file,
                                                                    const struct pcomp_node_extra *extra)
{
    return (const struct pcomp_node_off_cpu *)(profile_node_counters(file, extra) + file->header.counter_count);
}

static inline const struct pcomp_frame *profile_frame(const struct profile_file *file,
                                                      const struct profile_stack *stack, uint32_t i)
{
    return (const struct pcomp_frame *)(file->data + stack->frames + (uint64_t)i * file->header.frame_size);
}

/* Nanoseconds of one tick of this file's clock. */
double profile_tick_ns(const struct profile_file *file);

/* Nanoseconds that all samples of the run took, delivery included. */
double profile_sampling_ns(const struct profile_file *file);

/* ns that a thread of the file ran on a processor, as far as that is known: what was not looked at since is in it.
 * 1 at the fewest. end_tick: when the process ended, or now. */
double profile_thread_ran(const struct profile_file *file, uint32_t thread, uint64_t end_tick);

/* By what part another run on the same machine may take longer or shorter, half-width: as much as the best speed of
 * this one would have saved. 0: not known. */
double profile_speed_share(const struct pcomp_header *header);

/* The same, of the program without sites from this one, because its code lies elsewhere. */
double profile_layout_share(const struct pcomp_header *header);

/* The tick of a CLOCK_MONOTONIC reading. */
uint64_t profile_tick_at(const struct profile_file *file, uint64_t mono_ns);

#endif
