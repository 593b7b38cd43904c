/* Merging profile files into one call tree: the state between call_tree_load's steps. Internal to the data layer.
 *
 *   profile file --merge_profile--> tree_node[] --tree_finish--> call_tree
 *        |                              |
 *        `--functions, modules--> function_table (names resolved once, at the end)
 *
 * Nodes are merged by (parent, function, call site). A node is created after its parent, so a scan from the end meets
 * every child before its parent. Costs are kept as sums in nanoseconds, because every process has its own deltas and
 * its own clock; what a node's calls cost its ancestors is summed over the tree only once, at the end. */
#ifndef PCOMP_TREE_BUILDER_H
#define PCOMP_TREE_BUILDER_H

#include "compensation/cost/uncertainty.h"
#include "reporters/profile/profile_file.h"
#include "reporters/tree/build/call_tree_types.h"
#include "reporters/tree/build/function_table.h"
#include "reporters/tree/build/text_pool.h"

#define NO_NODE UINT32_MAX

/* The nodes of the tree are merged into where they stay, because a million of them are memory enough. Until tree_finish
 * completes a node, some of its fields hold other things (all sums are of ended calls but for raw and compensated):
 *   function                     index in the function table
 *   inclusive.own                ns that its calls cost itself
 *   exclusive.own                ns that they cost every ancestor, slow enters included
 *   exclusive.descendants        ns that they cost the parent besides
 *   inclusive.descendants, exclusive.direct       ns that filtered calls directly below cost it
 *   inclusive.uncertainty, exclusive.uncertainty  their systematic error, ns
 *   min, max                     +-infinity: none
 * and what children leave in it is added as they are completed, raw and compensated times of children negative. */
union node_work {
    struct {
        float own_error, descendant_error, direct_error;          /* systematic, ns; uncertainty.h */
        float own_variance, descendant_variance, direct_variance; /* ns^2 */
        double below_variance, children_variance;                 /* as the two uncertainties above */
    } part;
    struct node_errors { /* of a complete node: its parts, which add up, where half-widths do not */
        struct pcomp_uncertainty inclusive, exclusive;
    } errors;
};

struct native_frames {     /* uninstrumented, outermost first */
    uint32_t first, count; /* in tree_builder.natives */
};

struct build_exclusive { /* only with --fold-recursion */
    double raw, compensated;
};

struct build_counter {
    double raw, compensated;
};

struct build_thread {       /* sums over the root activations of a thread */
    double terms;           /* ns that the model in use takes away */
    double error, variance; /* ns, ns^2 */
    double split;           /* ns, half-width: cost of counting that may be another thread's */
    double off_cpu;         /* ns: of a running thread, off the processor since its record was written last */
    uint32_t *creator;      /* chain of functions that created it, innermost first; NULL unknown */
    uint32_t creator_count;
    uint32_t process; /* index in processes */
};

struct build_process {
    uint64_t start_ns; /* CLOCK_REALTIME */
    bool forked, calibration_file;
    struct tree_delta delta[PCOMP_VARIANTS];
    double clock_pair;
};

struct build_counting {
    uint32_t function; /* in the function table: what counting cost; 0 none */
    uint32_t holder;   /* node: the innermost one that is known to have that in it (counting_node.h); 0: not known */
    uint32_t before;   /* what counted functions took until their level fell; 0 none */
    uint64_t more;     /* calls on no call path, of processes with several threads */
};

struct stack_share {      /* samples of one thread that were inside the activations of a timed node */
    uint32_t timed, node; /* the innermost timed node around them (0: none), the node that they found innermost */
    uint32_t thread;      /* in tree->threads */
    double weight, hits;  /* periods that they stand for, samples */
    size_t outer;         /* in `outer`, so many: counted functions that called the timed one */
    uint32_t outer_count;
};

struct build_stacks {
    struct stack_share *shares;
    uint32_t *outer; /* functions of the table */
    size_t share_count, share_room, outer_count, outer_room;
    double hits, library; /* samples in all; weights of those in the library's own code */
    double cost;          /* ns of one sample */
    double period;        /* ns that a weight of 1 stands for */
    struct stack_times {  /* of what functions contain as outer ones, ns */
        double raw, compensated;
        struct pcomp_uncertainty error;
    } * times; /* by function of the table */
};

struct findings { /* what the warnings will say, summed over everything that was read */
    uint64_t lost_calls, late_calls, uncertain, abandoned, unmatched, backwards, beyond_depth;
    uint64_t left_out_nodes, left_out_bytes;
    uint32_t uncertain_threads, backwards_threads;
    uint32_t off_cpu_threads;
    double off_cpu_worst;
    char off_cpu_name[48];
    uint32_t live, killed;
    int one_live, one_killed; /* a pid for the message */
    unsigned stopped;
    double drift;     /* greatest relative change of a delta between start and exit */
    double speed;     /* profile_speed_share, the greatest */
    double layout;    /* by how much programs with sites differ from those without, half-width, relative */
    uint64_t catches; /* exceptions that were caught, of programs with hook calls */
    int drift_pid;
    bool models_differ, not_rederived, uncalibrated, traced;
};

struct tree_builder {
    const struct call_tree_options *options;
    struct call_tree *tree;  /* threads, processes, warnings are filled while merging */
    struct text_pool *texts; /* of the tree */
    struct function_table functions;
    struct tree_node *nodes;
    union node_work *work;
    uint32_t *sites;                   /* index in the function table, NO_NODE none; NULL unless keyed by call site */
    struct native_frames *frames;      /* NULL unless there are some */
    uint32_t *owners, owner;           /* options.by_thread: of nodes below the root; the thread that is merged now */
    struct build_exclusive *exclusive; /* NULL unless a file is folded */
    uint32_t *natives;                 /* indices of the function table */
    size_t native_count, native_room;
    struct build_counter *counters;  /* node * counter_count; NULL without counters */
    struct build_thread *threads;    /* parallel to tree->threads */
    struct build_process *processes; /* parallel to tree->processes */
    size_t node_count, node_room;
    /* Hash table: node index + 1 in the low half, a piece of the hash in the high half. It is not made while the nodes
     * of a first thread come in, all of which differ: NULL until tree_builder_index. */
    uint64_t *table;
    size_t table_mask;
    size_t thread_room, process_room, warning_room;
    enum pcomp_model model; /* in use */
    bool rederive;          /* under another model than was recorded, or other deltas */
    bool other_model;       /* under another model: least and greatest times are those of the run's */
    bool without_symbols;   /* names as far as the files themselves tell */
    bool counts;            /* the first file is COUNTS */
    bool any;               /* a file was merged: model, counters and deltas are known */
    size_t cost_room;       /* of tree->costs */
    double clock_variance;  /* ns^2 of one clock read */
    struct {
        double own, descendant; /* counts a call */
    } counter_error[PCOMP_COUNTERS_MAX];
    struct build_counting counting;
    struct build_stacks stacks;
    struct scope_symbols *open;   /* merge/scope_functions.h */
    struct tree_longest *longest; /* TREE_LONGEST of each function of the table; their .function is not known yet */
    size_t longest_room;
    bool off_cpu_missing; /* a file does not tell time off the processor */
    struct findings found;
};

/* tree (zeroed) and texts are the caller's, also after failure. */
bool tree_builder_init(struct tree_builder *b, struct call_tree *tree, struct text_pool *texts,
                       const struct call_tree_options *options);
void tree_builder_free(struct tree_builder *b);

/* Makes room for `more` nodes, so that the functions below cannot fail for want of memory. */
bool tree_builder_reserve(struct tree_builder *b, size_t more);

/* Adds a node that is known to be new. Only before tree_builder_index. */
uint32_t tree_builder_append(struct tree_builder *b, uint32_t parent, uint32_t function, uint32_t site);

/* From here on nodes may have call sites, or native frames. False: out of memory. */
bool tree_builder_with_sites(struct tree_builder *b);
bool tree_builder_with_frames(struct tree_builder *b);

/* Makes the hash table, from which on nodes are found. False: out of memory. */
bool tree_builder_index(struct tree_builder *b);

/* Of which thread (index in tree->threads, NO_NODE: of all) the nodes directly below the root are that are found or
 * added from here on. */
static inline void tree_builder_owner(struct tree_builder *b, uint32_t thread)
{
    b->owner = b->owners ? thread : NO_NODE;
}

/* A node that exists; NO_NODE: there is none. */
uint32_t tree_builder_find(const struct tree_builder *b, uint32_t parent, uint32_t function);

/* Finds or creates a node. */
uint32_t tree_builder_node(struct tree_builder *b, uint32_t parent, uint32_t function, uint32_t site);

/* Adds a warning; out of memory drops it. */
void tree_warn(struct tree_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Merges one file. `running`: its process is alive. False with error written when the file is damaged (and not
 * options->salvage) or memory ran out. */
bool merge_profile(struct tree_builder *b, struct profile_file *file, bool running, char *error, size_t error_size);

/* Resolves names, sums over the tree, fills b->tree. False: out of memory. */
bool tree_finish(struct tree_builder *b);

/* Steps of tree_finish: the order of siblings, the sums of functions from those of nodes. False: out of memory. */
bool tree_sort_siblings(struct call_tree *tree);
bool tree_sum_functions(struct call_tree *tree, const union node_work *work);

/* Turns b->found into warnings. */
void tree_finish_warnings(struct tree_builder *b);

#endif
