/* simulated_figures FIGURE: an experiment of a paper on the simulated machine of the tests, which knows T: one line of
 * numbers a point, each the median over SEEDS random programs, in percent of T.
 *
 *   barriers            1993 Fig. 5: P, alpha; T_m, T_a, T_a where the replay takes alpha to be 10 % dearer
 *   transpose-fewer     1993 Fig. 6 A: P; T_m, optimistic, modelled, pessimistic; the total of events stays the same
 *   transpose-equal     1993 Fig. 6 B: the same; each rank has as many events
 *   blind               1993 Fig. 7: P; T_m, T_a that preserves the order, LIFO, FIFO
 *   pi                  2005 Fig. 1: P; T_m, lower, upper
 *   pi-composition      2005 Fig. 2: P; of T_m - T_a over all ranks: execution, workers' share of that, late sender,
 *                       the master's share of that, collectives */
#include "compensation/numeric/delta.h"
#include "element_work.h"
#include "simulated_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 7, COLUMNS = 5, JITTER = 20 /* per cent around alpha */ };

static void die(const char *what)
{
    fprintf(stderr, "simulated_figures: %s\n", what);
    exit(1);
}

/* --- A program, run with and without measurement ------------------------------------------------------------------ */

struct experiment {
    struct simulation_program program;
    struct simulation_machine machine;
    struct comm_model actual, assumed; /* messages of the machine, and as the replay takes them */
    uint32_t alpha;                    /* ticks */
    unsigned seed;
    struct simulation_result measured, unmeasured;
    double dearer; /* of what the replay takes alpha to be */
};

static void experiment_begin(struct experiment *e, uint32_t locations, uint32_t alpha, unsigned seed, bool ranks)
{
    *e = (struct experiment){.alpha = alpha, .seed = seed, .dearer = 1};
    e->program = (struct simulation_program){
        .locations = simulated_allocate(locations, sizeof *e->program.locations), .count = locations, .objects = 2};
    for (uint32_t i = 0; i < locations; i++) {
        e->program.locations[i].process = ranks ? i : 0;
        e->program.locations[i].rank = ranks ? (int32_t)i : -1;
    }
}

static void experiment_run(struct experiment *e)
{
    struct simulation_machine silent = {.messages = &e->actual};

    e->machine = (struct simulation_machine){.messages = &e->actual, .jitter = JITTER, .seed = e->seed};
    for (int k = 0; k < PCOMP_EVENT_KINDS; k++)
        e->machine.alpha[k] = e->alpha;
    if (!simulation_run(&e->program, &e->machine, &e->measured) ||
        !simulation_run(&e->program, &silent, &e->unmeasured))
        die("the simulated program does not end");
}

static void experiment_end(struct experiment *e)
{
    simulation_result_free(&e->measured);
    simulation_result_free(&e->unmeasured);
    simulation_program_free(&e->program);
}

static double total(const struct simulation_result *result)
{
    return (double)(result->last - result->first);
}

static double percent_measured(const struct experiment *e)
{
    return (total(&e->measured) / total(&e->unmeasured) - 1) * 100;
}

struct behaviours { /* of one location: fixed-point ticks that the measurement added */
    int64_t all, late_sender, collective, other;
};

struct replay_context {
    struct simulated_trace trace;  /* first: the context of simulated_trace_next */
    struct behaviours *behaviours; /* by location; NULL: not wanted */
};

static void add_wait(void *context, const struct replay_wait *wait)
{
    struct replay_context *replay = context;
    struct behaviours *b = &replay->behaviours[wait->location];
    int64_t added = wait->measured - wait->approximated;

    if (wait->kind == REPLAY_WAIT_LATE_SENDER)
        b->late_sender += added;
    else if (wait->kind == REPLAY_WAIT_N_TO_N)
        b->collective += added;
    else
        b->other += added;
}

/* Returns T_a against T, percent. */
static double percent_approximated(const struct experiment *e, enum replay_comm comm, enum replay_receive receive,
                                   struct behaviours *behaviours)
{
    static int64_t alpha[PCOMP_EVENT_KINDS];
    struct replay_options options = {.model = REPLAY_EVENT, .comm = comm, .receive = receive, .messages = e->assumed};
    struct replay_context replay = {.behaviours = behaviours};
    struct replay_io io = {.context = &replay,
                           .next = simulated_trace_next,
                           .done = simulated_trace_done,
                           .wait = behaviours ? add_wait : NULL};
    struct replay_result result;

    for (int k = 0; k < PCOMP_EVENT_KINDS; k++)
        alpha[k] = (int64_t)(e->dearer * (double)((int64_t)e->alpha << PCOMP_FIX_SHIFT));
    simulated_trace_open(&replay.trace, &e->program, &e->measured, alpha);
    if (replay_run(replay.trace.places, e->measured.count, &options, &io, replay.trace.results, &result) != REPLAY_DONE)
        die(result.error ? result.error : "the replay did not come to its end");
    for (uint32_t i = 0; behaviours && i < e->measured.count; i++) {
        const struct replay_location_result *r = &replay.trace.results[i];
        behaviours[i].all =
            (int64_t)((r->last - r->first) << PCOMP_FIX_SHIFT) - (r->last_approximated - r->first_approximated);
    }
    simulated_trace_close(&replay.trace);
    return ((double)result.approximated / (1 << PCOMP_FIX_SHIFT) / total(&e->unmeasured) - 1) * 100;
}

/* --- Operations -----------------------------------------------------------------------------------------------------
 */

static void add(struct experiment *e, uint32_t location, struct simulation_op op)
{
    simulation_add(&e->program, location, op);
}

static uint32_t group(struct experiment *e)
{
    return e->program.groups++;
}

static void compute(struct experiment *e, uint32_t location, uint64_t ticks)
{
    add(e, location, (struct simulation_op){.kind = SIMULATION_COMPUTE, .group = group(e), .amount = ticks});
}

/* So many recorded calls that take so long together. */
static void calls(struct experiment *e, uint32_t location, uint32_t count, uint64_t ticks)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = group(e);

        add(e, location, (struct simulation_op){.kind = SIMULATION_CALL, .group = own, .object = 1});
        compute(e, location, ticks / count);
        add(e, location, (struct simulation_op){.kind = SIMULATION_RETURN, .group = own, .object = 1});
    }
}

static void message(struct experiment *e, uint32_t from, uint32_t to, uint32_t own, bool sends, bool blind,
                    uint64_t bytes)
{
    add(e, sends ? from : to,
        (struct simulation_op){.kind = sends ? SIMULATION_SEND : SIMULATION_RECV,
                               .mode = PCOMP_EVENT_SEND_POST,
                               .group = own,
                               .peer = sends   ? to
                                       : blind ? PCOMP_EVENT_ANY
                                               : from,
                               .amount = bytes});
}

/* --- 1993, Figure 5 --------------------------------------------------------------------------------------------------
 */

enum { PHASES = 100, PHASE_WORK = 300, EXIT_APART = 4 };

static void barriers(uint32_t threads, uint32_t alpha, unsigned seed, double columns[COLUMNS])
{
    struct experiment e;

    experiment_begin(&e, threads, alpha, seed, false);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        uint32_t own = group(&e);

        for (uint32_t i = 0; i < threads; i++) {
            compute(&e, i, PHASE_WORK + element_random(seed * PHASES + phase, i, PHASE_WORK / 3));
            add(&e, i, (struct simulation_op){.kind = SIMULATION_BARRIER_LADDER, .group = own, .delay = EXIT_APART});
        }
    }
    experiment_run(&e);
    columns[0] = percent_measured(&e);
    columns[1] = percent_approximated(&e, REPLAY_COMM_MODEL, REPLAY_RECEIVE_PRESERVE, NULL);
    e.dearer = 1.1;
    columns[2] = percent_approximated(&e, REPLAY_COMM_MODEL, REPLAY_RECEIVE_PRESERVE, NULL);
    experiment_end(&e);
}

/* --- 1993, Figures 6 and 7 -------------------------------------------------------------------------------------------
 * A tick is 0.1 us. A message of n bytes over h hops takes 136 + 0.4 n + 33 h us (the paper, of an iPSC/860). The
 * machine has the mean distance in a hypercube, log2(P) / 2; the replay's model knows of neighbours alone. */

enum { ORDER = 128 /* of the matrix */, TRANSPOSES = 8, COLUMN_WORK = 4000, PROBE = 100, START = 1360, HOP = 330 };

static struct comm_model hypercube(double hops)
{
    return (struct comm_model){.eager = {.start = START + HOP * hops, .per_byte = 4},
                               .has_protocols = true,
                               .copies = 1,
                               .copy = {{.bytes = 1000, .time = 600}}};
}

static double mean_hops(uint32_t ranks)
{
    double log2 = 0;

    for (uint32_t p = ranks; p > 1; p /= 2)
        log2++;
    return log2 / 2;
}

static void transpose(uint32_t ranks, uint32_t calls_each, unsigned seed, double columns[COLUMNS])
{
    struct experiment e;
    uint64_t bytes = 8ull * ORDER * ORDER / ranks / ranks, work = (uint64_t)COLUMN_WORK * ORDER / ranks;

    experiment_begin(&e, ranks, PROBE, seed, true);
    e.actual = hypercube(mean_hops(ranks));
    e.assumed = hypercube(mean_hops(ranks) < 1 ? mean_hops(ranks) : 1);
    for (unsigned round = 0; round < TRANSPOSES; round++) {
        for (uint32_t i = 0; i < ranks; i++)
            calls(&e, i, calls_each / 2 + element_random(seed * TRANSPOSES + round, i + ranks, calls_each),
                  work + element_random(seed * TRANSPOSES + round, i, (unsigned)(work / 10)));
        for (uint32_t distance = 1; distance < ranks; distance++) {
            uint32_t first = e.program.groups;

            e.program.groups += ranks;
            for (uint32_t i = 0; i < ranks; i++) {
                uint32_t from = (i + ranks - distance) % ranks;

                message(&e, i, (i + distance) % ranks, first + i, true, false, bytes);
                message(&e, from, i, first + from, false, false, bytes);
            }
        }
    }
    experiment_run(&e);
    columns[0] = percent_measured(&e);
    columns[1] = percent_approximated(&e, REPLAY_COMM_LOWER, REPLAY_RECEIVE_PRESERVE, NULL);
    columns[2] = percent_approximated(&e, REPLAY_COMM_MODEL, REPLAY_RECEIVE_PRESERVE, NULL);
    columns[3] = percent_approximated(&e, REPLAY_COMM_UPPER, REPLAY_RECEIVE_PRESERVE, NULL);
    experiment_end(&e);
}

static void transpose_fewer(uint32_t ranks, uint32_t unused, unsigned seed, double columns[COLUMNS])
{
    (void)unused;
    transpose(ranks, 8 * ORDER / ranks, seed, columns);
}

static void transpose_equal(uint32_t ranks, uint32_t unused, unsigned seed, double columns[COLUMNS])
{
    (void)unused;
    transpose(ranks, 2 * ORDER, seed, columns);
}

/* A third of the ranks is measured, each time another; all take the block that is there, and work on it before the
 * next. */
static void blind(uint32_t ranks, uint32_t unused, unsigned seed, double columns[COLUMNS])
{
    struct experiment e;
    uint64_t bytes = 8ull * ORDER * ORDER / ranks / ranks, work = (uint64_t)COLUMN_WORK * ORDER / ranks;

    (void)unused;
    experiment_begin(&e, ranks, PROBE, seed, true);
    e.actual = e.assumed = hypercube(mean_hops(ranks));
    for (unsigned round = 0; round < TRANSPOSES; round++) {
        uint32_t first = e.program.groups;

        e.program.groups += ranks * ranks;
        for (uint32_t i = 0; i < ranks; i++) {
            bool recorded = element_random(seed * TRANSPOSES + round, i + ranks, 3) == 0;

            calls(&e, i, recorded ? (uint32_t)(work / PROBE / 2) : 1,
                  work / 2 + element_random(seed * TRANSPOSES + round, i, (unsigned)work));
            for (uint32_t distance = 1; distance < ranks; distance++) {
                uint32_t to = (i + distance) % ranks;

                message(&e, i, to, first + i * ranks + to, true, true, bytes);
            }
            for (uint32_t distance = 1; distance < ranks; distance++) {
                uint32_t from = (i + ranks - distance) % ranks;

                message(&e, from, i, first + from * ranks + i, false, true, bytes);
                compute(&e, i, work / (ranks - 1));
            }
        }
    }
    experiment_run(&e);
    columns[0] = percent_measured(&e);
    columns[1] = percent_approximated(&e, REPLAY_COMM_MODEL, REPLAY_RECEIVE_PRESERVE, NULL);
    columns[2] = percent_approximated(&e, REPLAY_COMM_MODEL, REPLAY_RECEIVE_LIFO, NULL);
    columns[3] = percent_approximated(&e, REPLAY_COMM_MODEL, REPLAY_RECEIVE_FIFO, NULL);
    experiment_end(&e);
}

/* --- 2005, Figures 1 and 2 -------------------------------------------------------------------------------------------
 * The last rank deals out packets and waits for requests; workers call a small function for each pair of numbers, and
 * see together how far they are. */

enum { ITERATIONS = 10, PAIRS = 6000, PAIR_WORK = 100, PAIR_PROBE = 100, PAIR_BYTES = 16 };

static void pi_program(struct experiment *e, uint32_t ranks, unsigned seed)
{
    uint32_t master = ranks - 1, pairs = PAIRS / master;

    experiment_begin(e, ranks, PAIR_PROBE, seed, true);
    e->actual = e->assumed = (struct comm_model){.eager = {.start = 3000, .per_byte = 0.5},
                                                 .has_protocols = true,
                                                 .copies = 1,
                                                 .copy = {{.bytes = 1000, .time = 200}}};
    for (unsigned i = 0; i < ITERATIONS; i++) {
        uint32_t packets = e->program.groups, requests = packets + master, all = requests + master;

        e->program.groups = all + 1;
        for (uint32_t w = 0; w < master; w++) {
            uint32_t own = pairs * 9 / 10 + element_random(seed * ITERATIONS + i, w, pairs / 5);

            compute(e, master, (uint64_t)pairs * 10); /* makes the packet */
            message(e, master, w, packets + w, true, false, (uint64_t)pairs * PAIR_BYTES);
            message(e, master, w, packets + w, false, false, (uint64_t)pairs * PAIR_BYTES);
            calls(e, w, own, (uint64_t)own * PAIR_WORK);
            add(e, w,
                (struct simulation_op){.kind = SIMULATION_COLLECTIVE,
                                       .mode = PCOMP_COLLECTIVE_N_TO_N,
                                       .group = all,
                                       .object = 1,
                                       .amount = 8,
                                       .delay = 400});
            message(e, w, master, requests + w, true, true, 8);
        }
        for (uint32_t w = 0; w < master; w++)
            message(e, w, master, requests + w, false, true, 8);
    }
    experiment_run(e);
}

static void pi(uint32_t ranks, uint32_t unused, unsigned seed, double columns[COLUMNS])
{
    struct experiment e;

    (void)unused;
    pi_program(&e, ranks, seed);
    columns[0] = percent_measured(&e);
    columns[1] = percent_approximated(&e, REPLAY_COMM_LOWER, REPLAY_RECEIVE_PRESERVE, NULL);
    columns[2] = percent_approximated(&e, REPLAY_COMM_UPPER, REPLAY_RECEIVE_PRESERVE, NULL);
    experiment_end(&e);
}

static double share(double part, double whole)
{
    return whole != 0 ? part / whole * 100 : 0;
}

static void pi_composition(uint32_t ranks, uint32_t unused, unsigned seed, double columns[COLUMNS])
{
    struct experiment e;
    struct behaviours *behaviours = simulated_allocate(ranks, sizeof *behaviours), sum = {0};
    const struct behaviours *master = &behaviours[ranks - 1];
    double execution, of_master;

    (void)unused;
    pi_program(&e, ranks, seed);
    percent_approximated(&e, REPLAY_COMM_LOWER, REPLAY_RECEIVE_PRESERVE, behaviours);
    for (uint32_t i = 0; i < ranks; i++) {
        sum.all += behaviours[i].all;
        sum.late_sender += behaviours[i].late_sender;
        sum.collective += behaviours[i].collective;
        sum.other += behaviours[i].other;
    }
    execution = (double)(sum.all - sum.late_sender - sum.collective - sum.other);
    of_master = (double)(master->all - master->late_sender - master->collective - master->other);
    columns[0] = share(execution, (double)sum.all);
    columns[1] = share(execution - of_master, execution);
    columns[2] = share((double)sum.late_sender, (double)sum.all);
    columns[3] = share((double)master->late_sender, (double)sum.late_sender);
    columns[4] = share((double)sum.collective, (double)sum.all);
    free(behaviours);
    experiment_end(&e);
}

/* --- Figures -------------------------------------------------------------------------------------------------------
 */

#define LIST 8

static const struct {
    const char *name;
    void (*point)(uint32_t locations, uint32_t alpha, unsigned seed, double columns[COLUMNS]);
    uint32_t columns;
    uint32_t locations[LIST], alphas[LIST]; /* 0: no more; without alphas the figure has its own */
} figures[] = {
    {"barriers", barriers, 3, {2, 4, 8, 16, 64, 256}, {6, 12, 18, 24, 30, 36}},
    {"transpose-fewer", transpose_fewer, 4, {2, 4, 8, 16, 32, 64}, {0}},
    {"transpose-equal", transpose_equal, 4, {2, 4, 8, 16, 32, 64}, {0}},
    {"blind", blind, 4, {4, 8, 16, 32}, {0}},
    {"pi", pi, 3, {2, 4, 8, 16, 32}, {0}},
    {"pi-composition", pi_composition, 5, {4, 8, 16}, {0}},
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_point(size_t figure, uint32_t locations, uint32_t alpha)
{
    double found[COLUMNS][SEEDS], columns[COLUMNS];

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        figures[figure].point(locations, alpha, seed + 1, columns);
        for (uint32_t c = 0; c < figures[figure].columns; c++)
            found[c][seed] = columns[c];
    }
    printf("%u %u", locations, alpha);
    for (uint32_t c = 0; c < figures[figure].columns; c++) {
        qsort(found[c], SEEDS, sizeof found[c][0], by_value);
        printf(" %.2f", found[c][SEEDS / 2]);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    size_t figure = 0;

    while (argc == 2 && figure < sizeof figures / sizeof figures[0] && strcmp(figures[figure].name, argv[1]) != 0)
        figure++;
    if (argc != 2 || figure == sizeof figures / sizeof figures[0])
        die("barriers, transpose-fewer, transpose-equal, blind, pi or pi-composition");
    for (int i = 0; i < LIST && figures[figure].locations[i]; i++)
        for (int k = 0; k < LIST && (k == 0 || figures[figure].alphas[k]); k++)
            print_point(figure, figures[figure].locations[i], figures[figure].alphas[k]);
    return 0;
}
