/* The profile file: what a measured process leaves, and at the same time the memory that it measures into.
 *
 * The file is mapped shared by the measured process; every structure below is written in place by the hooks, so what
 * was counted survives any death of the process, and a reader may open the file while the process runs.
 *
 *   offset 0                 header_size                                              used
 *   | struct pcomp_header    | chunk | chunk | chunk | ...                            | (reserved, unused)
 *
 * After the header the file is a sequence of chunks, each self-describing and a multiple of 4096 bytes. A reader scans
 * them by `size` and needs no pointer to find anything. Chunks of kind PCOMP_CHUNK_FREE are skipped.
 *
 * References between records ("link" below) are written as addresses of the measured process: link = header.base +
 * file offset. 0 is "none". A reader subtracts header.base and checks range and alignment before use.
 *
 * All integers are in the byte order of the machine (header.endian tells). Ticks are units of the clock in use
 * (header.clock); fixed-point values are 1/1024 tick (PCOMP_FIX_SHIFT in compensation/numeric/delta.h).
 *
 * A reader never trusts a count: it checks each offset, size and count against the file's size.
 * The section-5 manual page pcomp-data documents this file for users. */
#ifndef PCOMP_PROFILE_FORMAT_H
#define PCOMP_PROFILE_FORMAT_H

#include "compensation/estimate/window_calls.h"
#include "compensation/numeric/delta.h"

#include <stddef.h>
#include <stdint.h>

#define PCOMP_MAGIC          "pcomprof" /* 8 bytes, no terminator */
#define PCOMP_FORMAT_VERSION 7u         /* the one that readers understand */
#define PCOMP_ENDIAN         0x01020304u
#define PCOMP_CHUNK_MAGIC    0x4b484350u /* "PCHK" on little endian */
#define PCOMP_COUNTERS_MAX   8

enum pcomp_state { PCOMP_STATE_LIVE = 1, PCOMP_STATE_CLOSED = 2 }; /* CLOSED: the process reached its exit handlers */

/* header.stopped, bits: why something could not be kept */
enum pcomp_stopped {
    PCOMP_STOPPED_NO_SPACE = 1,   /* the file system had no room for another chunk */
    PCOMP_STOPPED_FILE_SIZE = 2,  /* RLIMIT_FSIZE or the size of the mapping was reached */
    PCOMP_STOPPED_NODES = 4,      /* node limit */
    PCOMP_STOPPED_DEPTH = 8,      /* depth limit */
    PCOMP_STOPPED_THREADS = 16,   /* a thread could not be given its first memory */
    PCOMP_STOPPED_TRACE = 32,     /* --trace-limit of a location */
    PCOMP_STOPPED_MEMORY = 64,    /* --budget-memory */
    PCOMP_STOPPED_LOCKED_IN = 128 /* the program forbade itself what measuring needs */
};

enum pcomp_clock { PCOMP_CLOCK_TSC = 1, PCOMP_CLOCK_TSC_SERIAL = 2, PCOMP_CLOCK_MONOTONIC = 3, PCOMP_CLOCK_CNTVCT = 4 };

/* Why more was recorded than the budget of a trace. */
enum pcomp_over {
    PCOMP_OVER_NONE = 0,
    PCOMP_OVER_TRACE_BEFORE = 1, /* functions were called more than before */
    PCOMP_OVER_TRACE_ALWAYS = 2  /* synchronisation, messages, functions that cannot be suppressed */
};

/* header.flags */
enum pcomp_flags {
    PCOMP_FLAG_CALL_SITES = 1,       /* node key is (function, call site) */
    PCOMP_FLAG_NATIVE_FRAMES = 2,    /* nodes may carry uninstrumented frames between parent and node */
    PCOMP_FLAG_FOLD_RECURSION = 4,   /* recursion folded: exclusive times are stored (pcomp_node_exclusive) */
    PCOMP_FLAG_CALIBRATION_FILE = 8, /* the deltas came from a file (--calibration), not from this process */
    PCOMP_FLAG_FITTED = 32,          /* the calibration file was fitted to uninstrumented runs of a program */
    PCOMP_FLAG_TRACE = 64, /* events were recorded (profiler/format/trace_format.h): no nodes, no stacks, no times */
    PCOMP_FLAG_REPLAYED = 128, /* made by a replay: raw times are measured ones, compensated times approximated ones */
    PCOMP_FLAG_COUNTS = 512,   /* counts of all calls are in COUNTS chunks; nodes and times are those of full mode */
    PCOMP_FLAG_TRACED = 1024   /* another process traced this one at its start, and stopped it at times */
};

struct pcomp_counter { /* one --counters metric */
    char name[64];
    int64_t own[PCOMP_VARIANTS], descendant[PCOMP_VARIANTS]; /* its deltas, 1/1024 count */
    int64_t own_spread, descendant_spread;
};

struct pcomp_header { /* 4096 bytes */
    char magic[8];
    uint32_t version;
    uint32_t endian;
    uint32_t header_size; /* sizes of the records of this file, for readers of other versions */
    uint32_t chunk_header_size;
    uint32_t thread_size;
    uint32_t stack_size;
    uint32_t frame_size;
    uint32_t node_size;
    uint32_t node_extra_size;
    uint32_t function_size;
    uint32_t module_size;
    uint32_t counter_count;
    uint64_t base;     /* process address of offset 0 */
    uint64_t used;     /* bytes covered by header and chunks; only grows */
    uint64_t capacity; /* bytes mapped by the process */
    uint32_t state;    /* enum pcomp_state */
    uint32_t stopped;  /* enum pcomp_stopped, bits */
    uint32_t clock;    /* enum pcomp_clock */
    uint32_t model;    /* enum pcomp_model that ran */
    uint32_t flags;    /* enum pcomp_flags */
    int32_t pid;
    int32_t ppid;
    int32_t rank;           /* MPI rank; -1 none */
    uint64_t process_start; /* field 22 of /proc/PID/stat: with boot_id tells whether pid is still this process */
    uint8_t boot_id[16];
    uint8_t run_id[16];
    /* Two pairs of readings give ticks to ns: (mono1_ns - mono0_ns) / (tick1 - tick0). The second pair is renewed when
     * memory is added and at exit; tick_hz is measured at start and is what there is when the pairs are too close. */
    uint64_t tick0, mono0_ns, tick1, mono1_ns;
    uint64_t real0_ns; /* CLOCK_REALTIME at tick0 */
    double tick_hz;
    uint64_t end_tick;                              /* tick of the exit handler; 0 while running or when killed */
    struct pcomp_delta delta_start[PCOMP_VARIANTS]; /* what the run-time subtraction used */
    struct pcomp_delta delta_exit[PCOMP_VARIANTS];  /* measured again at exit; repetitions 0: was not */
    int64_t clock_pair;                             /* two bare clock reads, fixed-point ticks */
    uint64_t lost_calls;                            /* calls of which nothing but this count was kept */
    uint64_t late_calls;                            /* calls after the exit handler closed the profile */
    uint64_t node_count;                            /* call-path nodes in use, all threads */
    uint64_t thread_count;
    uint64_t command_link; /* link to text in a STRINGS chunk: arguments separated by one NUL, ended by two */
    uint64_t exe_link;     /* link to NUL-terminated path of the executable */
    uint64_t cwd_link;
    char host[64];
    char options[256];    /* PCOMP_OPTIONS as used, cut to fit */
    uint64_t startup_ns;  /* what start-up, calibration included, cost the process */
    uint64_t forked_from; /* pid of the parent whose open frames were inherited; 0 none */
    struct pcomp_counter counters[PCOMP_COUNTERS_MAX];
    char fitted[128];       /* FITTED: what to, as the calibration file says; REPLAYED: by which model */
    uint64_t memory_budget; /* --budget-memory, bytes; 0 none */
    uint64_t closing_ns;    /* what the end of measuring, calibration included, cost the process */
    /* --budget-trace: time at which the last second had more than the budget; the longest such time on end; ticks. How
     * many such times, and enum pcomp_over: of the longest. */
    uint64_t over_ticks, over_longest;
    uint32_t over_count, over_cause;
    uint64_t trace_budget;     /* --budget-trace, bytes a second; 0 none */
    uint64_t trace_worst;      /* bytes of the second in which most were recorded */
    int64_t count_cost;        /* COUNTS: one call counted in place, fixed-point ticks; kernel figure */
    uint64_t level_falls;      /* COUNTS: how often a function turned from timed to counted */
    uint64_t sample_period_ns; /* of samples of the call stack: of a thread's processor time, from one to the next */
    /* Sites that can be switched, and what cannot: modules whose sites stay as they are, entries of sled maps that are
     * wrong; why, of the last one: "MODULE: TEXT", cut to fit, empty: none. All 0 where no sites were looked for. */
    uint32_t site_modules, site_enters, site_exits, site_sleds;
    uint32_t sites_refused, sleds_bad;
    char sites_why[128];
    /* Samples of the call stack (STACKS chunks): enum pcomp_sampler; the signal that the timer uses. Handlers of
     * samples that ran, and the sum of what they took, ticks; what a signal takes besides, fixed-point ticks, in the
     * mean: the sum, modulo 2^64, has what it was more or less. */
    uint32_t sampler, sampler_signal;
    uint64_t samples, sample_ticks;
    int64_t sample_delivery;
    char sampler_why[128]; /* why there are none, or not in all threads; cut to fit, empty: none */
    /* Windows in which the sites of sampled functions were on: how many, what they took, and what turning the sites
     * took, seconds; greatest share of the program's own time that all of measuring may cost; 0: no limit. */
    uint64_t windows;
    double window_seconds, window_switching, limit;
    double count_price, count_price_error; /* of a call counted in place, from all that tells of it: seconds, standard
                                            * error; 0: not known */
    uint64_t slot_samples;                 /* periods of samples that hit the code that counts calls in place */
    uint64_t retired;                      /* how speeds scattered, a double, in profiles of earlier days; 0 */
    uint64_t catches;                      /* exceptions that were caught (__cxa_begin_catch) */
    uint64_t probe_samples, probe_periods; /* no COUNTS: samples that hit the library's code, and their periods */
    int64_t
        probe_overhead; /* no COUNTS: calibrated overhead of all threads until their last sample, fixed-point ticks */
    /* Overhead in windows as it was, over what `sums` of sampled functions took it for, by functions that are counted
     * inside and outside of windows, and its standard error; 0: not known. */
    double window_factor, window_factor_error;
    uint64_t spread_bytes;   /* of SPREADS chunks */
    uint64_t sample_tick_ns; /* perf: distance of samples by the kernel's ticks, which are among the others; 0: none */
    uint64_t probe_all;      /* no COUNTS: periods that all samples stand for */
    double speed_lost;       /* part of the time that the machine's best speed would have saved; 0: not known */
    double own_seconds;      /* processor time of all threads without what measuring took, when it was last looked at */
    uint8_t reserved[4096 - 2688 - 64];
    uint8_t no_spread[64]; /* 0: where the nodes without buckets find a record that covers none (PCOMP_SPREAD_NONE) */
};

enum pcomp_chunk_kind {
    PCOMP_CHUNK_FREE = 1,
    PCOMP_CHUNK_THREAD = 2,    /* `count` = 1 struct pcomp_thread */
    PCOMP_CHUNK_STACK = 3,     /* struct pcomp_stack, then `capacity` frames */
    PCOMP_CHUNK_NODES = 4,     /* `capacity` nodes, then `capacity` extras; `count` of both in use */
    PCOMP_CHUNK_FUNCTIONS = 5, /* `count` struct pcomp_function */
    PCOMP_CHUNK_MODULES = 6,   /* `count` struct pcomp_module */
    PCOMP_CHUNK_STRINGS = 7,   /* `count` bytes of NUL-terminated text, reached by links */
    PCOMP_CHUNK_COUNTS = 10,   /* `count` = `capacity` uint64_t: counter k counts the calls of function k */
    PCOMP_CHUNK_STACKS = 11,   /* `count` struct pcomp_stack_frame of thread `owner` */
    PCOMP_CHUNK_WINDOWS = 12,  /* `count` struct pcomp_sampled_calls */
    PCOMP_CHUNK_SPREADS = 13   /* `count` units of 64 bytes: struct pcomp_spread and struct pcomp_longest; one whose
                                * second word is 0 is not in use */
};

/* STACK: chunk.reserved[1], address of the chunk that the stack has outgrown, of an older generation; 0: none. */

/* COUNTS: chunk.reserved[1], whose calls the counters hold. Calls of function k: sum of counter k over all COUNTS
 * chunks; a chunk with fewer counters than functions has 0 for the others. */
enum pcomp_counts_kind {
    PCOMP_COUNTS_THREAD = 1, /* of a live thread */
    PCOMP_COUNTS_ENDED = 2,  /* sum of threads that ended */
    PCOMP_COUNTS_COMMON = 3, /* of threads that the library did not see begin: shared without locks, inexact */
    PCOMP_COUNTS_AFTER = 4   /* after a thread's last destructor: inexact */
};

struct pcomp_chunk { /* 64 bytes; records follow directly */
    uint32_t magic;
    uint32_t kind;
    uint64_t size;  /* of the whole chunk, header included; multiple of 4096 */
    uint32_t owner; /* index of the thread (THREAD, STACK, NODES) */
    uint32_t record_size;
    uint32_t capacity; /* records that fit (STRINGS: bytes) */
    uint32_t count;    /* records in use (STRINGS: bytes); written after the record is complete */
    uint64_t reserved[4];
};

/* Index of a function in all FUNCTIONS chunks, in file order, is its id. The same for modules. */
enum pcomp_function_id { PCOMP_FUNCTION_ROOT = 0, PCOMP_FUNCTION_BEYOND = 1, PCOMP_FUNCTION_FIRST = 2 };
/* ids 0 and 1 are records without module: "[root]" of a thread, "[beyond limit]". */

enum pcomp_function_flags {
    PCOMP_FUNCTION_REGION = 1,     /* a manual region: name_link is its name, address is the name's address */
    PCOMP_FUNCTION_SKIPPED = 2,    /* filtered out (--only, --skip): counted, not timed, hidden from reports */
    PCOMP_FUNCTION_UNLOADED = 4,   /* its module was unloaded later */
    PCOMP_FUNCTION_SUPPRESSED = 8, /* REPLAYED: `suppressed` of its calls were not recorded (--budget-trace) */
    PCOMP_FUNCTION_COUNTED = 16,   /* COUNTS: its level fell to counted at some time */
    PCOMP_FUNCTION_SAMPLED =
        64,                 /* COUNTS: its sites were off but in windows at some time: struct pcomp_sampled_calls */
    PCOMP_FUNCTION_OFF = 32 /* COUNTS: its sites are off since it is filtered out: its calls are not counted */
};

struct pcomp_function {  /* 32 bytes */
    uint64_t address;    /* in the process */
    uint32_t module;     /* id; UINT32_MAX none */
    uint32_t flags;      /* enum pcomp_function_flags */
    uint64_t name_link;  /* text for regions and the special functions; else 0 */
    uint64_t suppressed; /* calls that are in no node, with the flag */
};

struct pcomp_module {    /* 96 bytes */
    uint64_t bias;       /* load address minus link-time address: ELF address = address - bias */
    uint64_t start, end; /* address range of its loaded segments */
    uint64_t path_link;
    uint32_t build_id_size;
    uint8_t build_id[32];
    uint32_t unloaded;  /* 1: dlclosed; the range may belong to a later module */
    uint64_t file_size; /* of the file when seen; 0 unknown */
    int64_t file_mtime_ns;
    uint64_t gone_tick; /* when it was found unloaded: events before it that lie in its range are its own; 0 loaded */
};

struct pcomp_thread { /* 240 bytes */
    uint32_t index;   /* 0 is the first thread that called a hook (PCOMP_THREAD_MAIN tells the main thread) */
    int32_t tid;
    char name[32]; /* pthread name, at the end or when last seen */
    uint64_t start_tick;
    uint64_t end_tick;                   /* 0 while the thread lives (or was killed) */
    uint64_t root_link;                  /* its root node: parent of all root activations; carries no time of its own */
    uint64_t beyond_link;                /* its "[beyond limit]" node, a child of the root */
    uint64_t creator_link;               /* node (of another thread) that was active at pthread_create; 0 unknown */
    uint64_t cpu0_ns, cpu1_ns;           /* thread CPU time at start_tick and when last seen */
    uint64_t seen_tick;                  /* when cpu1_ns and the switches were read */
    uint64_t involuntary0, involuntary1; /* context switches */
    uint64_t voluntary0, voluntary1;
    uint64_t uncertain;      /* calls whose attribution is uncertain (jumps that could not be told apart) */
    uint64_t abandoned;      /* activations closed because a jump or exception left them; timed until the jump */
    uint64_t unmatched;      /* exits without an enter, ignored */
    uint64_t backwards;      /* activations with a negative duration (clock stepped back) */
    uint64_t stack_switches; /* changes between stacks (signal stacks, coroutines) */
    uint64_t beyond_depth;   /* calls below the depth limit: counted in the beyond node */
    uint64_t node_count;
    uint64_t paused_ticks;
    uint32_t flags; /* enum pcomp_thread_flags */
    uint32_t stack_count;
    /* What the thread waits for just now, for a reader of the running process: enum pcomp_waiting in the lowest 8 bits,
     * above them the stack address of the call, below which the thread waits; 0: nothing that is known. */
    uint64_t waiting;
    uint64_t waiting_site; /* return address of that call */
    /* Of which object: address of the lock, condition, barrier or semaphore; of a message the peer's rank in
     * MPI_COMM_WORLD + 1, or PCOMP_WAITING_ANY; 0 not known. Files of before have no such field (thread_size 224). */
    uint64_t waiting_object;
    /* Threads that had this record one after the other; tid and name are the last one's. Differences of ticks, CPU
     * times and switches are sums over all, modulo 2^64: a first value may be above the second. Files of before have no
     * such field (thread_size 232 or 224): one. */
    uint64_t threads;
};

#define PCOMP_WAITING_ANY UINT64_MAX

/* In which call: of a library function that may wait, while it runs. */
enum pcomp_waiting {
    PCOMP_WAITING_NONE,
    PCOMP_WAITING_LOCK, /* mutexes and reader-writer locks */
    PCOMP_WAITING_CONDITION,
    PCOMP_WAITING_BARRIER,
    PCOMP_WAITING_SEMAPHORE,
    PCOMP_WAITING_JOIN,
    PCOMP_WAITING_MESSAGE,   /* MPI, one to one */
    PCOMP_WAITING_COLLECTIVE /* MPI, all of a communicator */
};
enum pcomp_thread_flags {
    PCOMP_THREAD_MAIN = 1,
    PCOMP_THREAD_INHERITED = 2, /* forked: open frames re-opened at 0 */
    PCOMP_THREAD_LAST = 4       /* it ended the process: its calls stay in the counters of threads that live */
};

struct pcomp_stack {     /* 64 bytes, at the start of a STACK chunk */
    uint32_t id;         /* within the thread; 0 is the thread's own stack */
    uint32_t generation; /* of two chunks with the same owner and id the higher generation counts */
    uint64_t low, high;  /* address range of the machine stack; 0 not known */
    uint64_t reserved[5];
};

/* Frame k of a stack is live when frames 0..k all have start > end. Frame 0 is the root frame (node = the thread's
 * root). An activation that is open when the process dies is read from here: it lasted from `start` to the last event
 * (the greatest start or end of the stack's frames up to one above the topmost live frame). */
struct pcomp_frame {   /* 48 bytes, then one of the next two: header.frame_size */
    uint64_t function; /* address */
    uint64_t node;     /* link */
    uint64_t sp;       /* stack address at enter */
    int64_t overhead;  /* overhead accumulated in the thread at enter, fixed-point */
    uint64_t start;    /* tick */
    uint64_t end;      /* tick of the last exit at this depth; UINT64_MAX: not measured, and start is no tick */
};

/* How a frame goes on on the fast path: the last activation at this depth, while it is in no bucket yet. */
struct pcomp_frame_pending {
    uint64_t node; /* link; the root's: none */
    int64_t time;  /* compensated inclusive, fixed-point ticks */
};

/* How a frame goes on with folding, counters or keys by call site, where header.frame_size has room for it. */
struct pcomp_frame_more {
    uint64_t reserved;
    uint64_t child_raw; /* inclusive ticks of the direct children that have ended */
    int64_t child_compensated;
    uint64_t events;    /* calls of the thread at enter */
    int64_t counters[]; /* at enter; behind them, what measuring had added to each by then, 1/1024 count */
};

struct pcomp_node {      /* 64 bytes: one cache line, all that a hook touches */
    uint64_t function;   /* address; bit 63 set when its module was unloaded */
    uint64_t parent;     /* link; 0 for the root */
    uint64_t calls;      /* completed activations (N of this path) */
    uint32_t lookups;    /* of these: entered by PCOMP_VARIANT_LOOKUP (counted at enter), modulo 2^32 */
    uint32_t spread;     /* file offset / 64 of the struct pcomp_spread that counts now; PCOMP_SPREAD_NONE: none */
    uint64_t raw;        /* sum of raw inclusive ticks (folded: of outermost activations) */
    int64_t compensated; /* the same compensated, fixed-point ticks, under header.model and delta_start */
    int64_t min;         /* least compensated inclusive of one activation, fixed-point; INT64_MAX: none ended */
    int64_t top; /* the greatest, INT64_MIN: none ended; where there is a struct pcomp_longest, the least time of
                  * those, INT64_MIN while it is not full: an exit above it goes the slow way */
};

/* How long the activations of a node took: buckets of compensated inclusive time (compensation/numeric/log_buckets.h).
 * A node whose activations were of more buckets than its record has room for gets another, which covers more and counts
 * from then on: all records of a node add up. A node with one ended activation has none: it is the node's min. */
struct pcomp_spread { /* 16 bytes, then the counters: a multiple of 64 in all */
    uint32_t first;   /* bucket of the first counter; PCOMP_SPREAD_LONGEST: this is a struct pcomp_longest */
    uint32_t n;       /* counters */
    uint32_t node;    /* file offset / 64; 0: of no node, counts activations that memory is not used for */
    uint32_t longest; /* file offset / 64 of the struct pcomp_longest of the node; 0 none */
    uint32_t counts[];
};
#define PCOMP_SPREAD_NONE    (4032u / 64) /* header.no_spread */
#define PCOMP_SPREAD_LONGEST UINT32_MAX
#define PCOMP_LONGEST        3

/* The longest activations of a node, in no order; activations of about the same time may be missing. */
struct pcomp_longest {
    uint32_t mark; /* PCOMP_SPREAD_LONGEST */
    uint32_t n;    /* 12, as in struct pcomp_spread */
    uint32_t node;
    uint32_t reserved;
    struct {
        int64_t time;   /* compensated inclusive, fixed-point */
        uint64_t start; /* tick of its enter; 0: none */
    } each[PCOMP_LONGEST];
};

/* A function whose sites are off but in windows (its level is sampled): its calls are `exact` and what the sums say. */
struct pcomp_sampled_calls {
    uint32_t function; /* id */
    uint32_t sampled;  /* 1: at this moment; else it returned to counted */
    uint64_t exact;    /* calls counted when it was not sampled; while it is not, less by those of its counter */
    struct pcomp_window_calls sums;
};

enum pcomp_sampler { PCOMP_SAMPLER_NONE = 0, PCOMP_SAMPLER_TIMER = 1, PCOMP_SAMPLER_PERF = 2 };

/* A frame of sampled call stacks. Stacks with the same outer frames share these: `parent` leads outwards. Number of a
 * frame: its place in all STACKS chunks of its thread, in file order, plus 1. */
struct pcomp_stack_frame {
    uint64_t pc;     /* address in the process, inside the call; or one of enum pcomp_stack_place */
    uint64_t node;   /* link: the timed activation that this frame is of; 0 none */
    uint32_t parent; /* number of the frame of the caller; 0: outermost */
    uint32_t hits;   /* samples that found this frame innermost ... */
    uint64_t weight; /* ... and the periods (header.sample_period_ns) that they stand for; written last */
};
enum pcomp_stack_place {
    PCOMP_STACK_UNKNOWN = 0, /* frames between are not known; with a node: that is the nearest timed one */
    PCOMP_STACK_LIBRARY = 1  /* in the code of this library: part of what measuring costs */
};

/* 40 bytes, then with PCOMP_FLAG_FOLD_RECURSION one struct pcomp_node_exclusive, then counter_count struct
 * pcomp_node_counter, then with PCOMP_FLAG_COUNTS one struct pcomp_node_off_cpu; header.node_extra_size is the sum. */
struct pcomp_node_extra {
    uint64_t site; /* call site address (PCOMP_FLAG_CALL_SITES, NATIVE_FRAMES); else 0 */
    uint32_t function_id;
    uint16_t flags;        /* enum pcomp_node_flags */
    uint16_t lookups_high; /* of node.lookups: times 2^32 */
    uint64_t slow_ticks;   /* measured overhead of slow enters of this path (first call, memory growth): in ancestors */
    uint64_t native_link;  /* text: uninstrumented frames between parent and node, see pcomp-data(5); 0 none */
    uint64_t first_start;  /* tick at which its first activation began that has ended; 0: none */
};
struct pcomp_node_exclusive {
    uint64_t raw;        /* ticks */
    int64_t compensated; /* fixed-point ticks */
};
enum pcomp_node_flags { PCOMP_NODE_SKIPPED = 1 };

struct pcomp_node_counter {
    int64_t raw;         /* inclusive, counts */
    int64_t compensated; /* inclusive, 1/1024 count */
};

/* Last in the extra of a node of a COUNTS profile: time off the processor while the node was on top of
 * the shadow stack (exclusive). In the root: while no timed function was active. Stretches below 0.1 ms are not in it.
 */
struct pcomp_node_off_cpu {
    uint64_t waiting; /* ticks: blocked, or stopped */
    uint64_t ready;   /* ticks: runnable, but preempted */
};

#define PCOMP_CHECK_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)

PCOMP_CHECK_SIZE(struct pcomp_header, 4096);
PCOMP_CHECK_SIZE(struct pcomp_chunk, 64);
PCOMP_CHECK_SIZE(struct pcomp_function, 32);
PCOMP_CHECK_SIZE(struct pcomp_module, 96);
PCOMP_CHECK_SIZE(struct pcomp_thread, 240);
PCOMP_CHECK_SIZE(struct pcomp_stack, 64);
PCOMP_CHECK_SIZE(struct pcomp_frame, 48);
PCOMP_CHECK_SIZE(struct pcomp_frame_pending, 16);
PCOMP_CHECK_SIZE(struct pcomp_node, 64);
PCOMP_CHECK_SIZE(struct pcomp_node_extra, 40);
PCOMP_CHECK_SIZE(struct pcomp_spread, 16);
PCOMP_CHECK_SIZE(struct pcomp_longest, 64);
_Static_assert(offsetof(struct pcomp_header, no_spread) == (size_t)PCOMP_SPREAD_NONE * 64, "PCOMP_SPREAD_NONE");
PCOMP_CHECK_SIZE(struct pcomp_stack_frame, 32);
PCOMP_CHECK_SIZE(struct pcomp_sampled_calls, 160);
PCOMP_CHECK_SIZE(struct pcomp_node_exclusive, 16);
PCOMP_CHECK_SIZE(struct pcomp_node_off_cpu, 16);

/* What every reader checks first. */
static inline void pcomp_header_identify(struct pcomp_header *h)
{
    __builtin_memcpy(h->magic, PCOMP_MAGIC, sizeof h->magic);
    h->version = PCOMP_FORMAT_VERSION;
    h->endian = PCOMP_ENDIAN;
    h->header_size = sizeof *h;
    h->chunk_header_size = sizeof(struct pcomp_chunk);
    h->thread_size = sizeof(struct pcomp_thread);
    h->stack_size = sizeof(struct pcomp_stack);
    h->frame_size = sizeof(struct pcomp_frame);
    h->node_size = sizeof(struct pcomp_node);
    h->node_extra_size = sizeof(struct pcomp_node_extra);
    h->function_size = sizeof(struct pcomp_function);
    h->module_size = sizeof(struct pcomp_module);
}

#endif
