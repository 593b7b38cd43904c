/* The replay with any number of threads: the same results, files and messages, to the byte, on random programs. A plain
 * program, for ThreadSanitizer. Usage: test_replay_jobs [SEED [PROGRAMS]] */
#include "compensation/numeric/delta.h"
#include "reporters/replay/drive/replay_drive.h"
#include "tests/compensation/simulated_machine.h"
#include "tests/support/simulation.h"
#include "tests/support/trace_maker.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
enum { PROGRAMS = 200 };
#elif defined(__SANITIZE_ADDRESS__)
enum { PROGRAMS = 500 }; /* each starts up to 13 threads and makes up to 45 files */
#else
enum { PROGRAMS = 2000 };
#endif

enum { LOCATIONS = 9, LENGTH = 6, WORK = 1000 };

static char *in, *out[2]; /* of one thread, of several */

static void need(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

/* --- Traces ---------------------------------------------------------------------------------------------------------
 */

static void remove_traces(const char *dir)
{
    DIR *entries = opendir(dir);
    need(entries, dir);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strstr(entry->d_name, ".trace"))
            need(unlinkat(dirfd(entries), entry->d_name, 0) == 0, entry->d_name);
    closedir(entries);
}

/* One record among them that no program has written. */
static void damage(struct simulation_result *measured, uint64_t *random)
{
    struct simulation_trace *trace = &measured->traces[prng_below(random, measured->count)];
    unsigned char *record = trace->records;
    if (!trace->events)
        return;
    for (uint64_t skip = prng_below(random, trace->events); skip; skip--)
        record += pcomp_event_size((const struct pcomp_event *)(const void *)record);
    ((struct pcomp_event *)(void *)record)->what = 0x7full << 56;
}

/* In segments of a few records, so that there are many blocks. */
static void write_traces(const struct simulation_program *program, const struct simulation_machine *machine,
                         const struct simulation_result *measured, uint64_t *random)
{
    unsigned *threads = calloc(measured->count, sizeof *threads); /* by process */
    int ranks = 0;
    need(threads, "memory");
    for (uint32_t i = 0; i < measured->count; i++)
        ranks = program->locations[i].rank >= ranks ? program->locations[i].rank + 1 : ranks;
    for (uint32_t i = 0; i < measured->count; i++) {
        const struct simulation_script *script = &program->locations[i];
        struct pcomp_trace_header h = trace_maker_header(1000 + (int)script->process, threads[script->process]++,
                                                         script->rank, script->rank < 0 ? 0 : ranks);
        for (int k = 0; k < PCOMP_EVENT_KINDS; k++)
            h.alpha[k] = (int64_t)((uint64_t)machine->alpha[k] << PCOMP_FIX_SHIFT);
        trace_maker_write_in_parts(in, 0, &h, measured->traces[i].records, measured->traces[i].size,
                                   32 * (1 + prng_below(random, 8)));
    }
    free(threads);
}

/* --- Comparing ------------------------------------------------------------------------------------------------------
 */

static char *contents(const char *dir, const char *from, size_t *size)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", dir, strrchr(from, '/') + 1);
    FILE *file = fopen(path, "r");
    char *data = NULL;
    need(file && fseek(file, 0, SEEK_END) == 0, path);
    *size = (size_t)ftell(file);
    rewind(file);
    data = malloc(*size + 1);
    need(data && fread(data, 1, *size, file) == *size, path);
    fclose(file);
    return data;
}

static bool same_files(const struct trace_directory *traces)
{
    bool same = true;
    for (uint32_t i = 0; same && i < traces->count; i++) {
        size_t sizes[2];
        char *data[2];
        for (int k = 0; k < 2; k++)
            data[k] = contents(out[k], traces->locations[i].file->path, &sizes[k]);
        same = sizes[0] == sizes[1] && memcmp(data[0], data[1], sizes[0]) == 0;
        free(data[0]);
        free(data[1]);
    }
    return same;
}

static bool same_trees(const struct path_tree *a, const struct path_tree *b)
{
    bool same = a->node_count == b->node_count && a->wait_count == b->wait_count && a->event == b->event &&
                a->last_approximated == b->last_approximated;
    for (uint32_t n = 0; same && n < a->node_count; n++)
        same = a->nodes[n].function == b->nodes[n].function && a->nodes[n].calls == b->nodes[n].calls &&
               a->nodes[n].measured == b->nodes[n].measured && a->nodes[n].approximated == b->nodes[n].approximated;
    for (uint32_t n = 0; same && n < a->wait_count; n++)
        same = a->waits[n].node == b->waits[n].node && a->waits[n].kind == b->waits[n].kind &&
               a->waits[n].count == b->waits[n].count && a->waits[n].measured == b->waits[n].measured &&
               a->waits[n].approximated == b->waits[n].approximated;
    return same;
}

static bool same_outcomes(const struct replay_outcome *a, const struct replay_outcome *b, uint32_t count)
{
    bool same = a->end == b->end && memcmp(&a->result, &b->result, sizeof a->result) == 0 &&
                memcmp(a->locations, b->locations, count * sizeof *a->locations) == 0 &&
                memcmp(a->ends_early, b->ends_early, count * sizeof *a->ends_early) == 0 &&
                a->violation_count == b->violation_count && strcmp(a->error, b->error) == 0 &&
                a->read_location == b->read_location;
    for (uint32_t i = 0; same && i < a->violation_count; i++)
        same = memcmp(&a->violations[i], &b->violations[i], sizeof a->violations[i]) == 0;
    for (uint32_t i = 0; same && !*a->error && i < count; i++)
        same = same_trees(&a->trees[i], &b->trees[i]);
    return same;
}

/* --- A program ------------------------------------------------------------------------------------------------------
 */

struct trial {
    uint64_t seed;
    uint64_t *ended; /* counts programs that were replayed to their end */
    unsigned jobs;   /* of the comparison that failed */
};

static bool is_damaged(uint64_t seed)
{
    return seed % 4 == 0;
}

static struct replay_request request_of(const struct trace_directory *traces, uint64_t seed, unsigned jobs,
                                        const char *to)
{
    return (struct replay_request){.traces = traces,
                                   .options = {.model = seed % 5 ? REPLAY_EVENT : REPLAY_TIME,
                                               .comm = (enum replay_comm)(seed % 3),
                                               .messages = simulated_messages},
                                   .jobs = jobs,
                                   .write_to = to,
                                   .before = seed % 7 ? UINT64_MAX : WORK * (seed % 20)};
}

/* False: some number of threads makes a difference. */
static bool same_for_all(struct trial *trial)
{
    static const unsigned jobs[] = {2, 3, 8};
    struct trace_directory traces;
    struct replay_outcome one, several;
    char error[1024];
    bool salvage = trial->seed % 8 == 0, same = true;
    if (!trace_directory_open(in, salvage, &traces, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    struct replay_request request = request_of(&traces, trial->seed, 1, out[0]);
    *trial->ended += replay_drive(&request, &one);
    for (size_t k = 0; same && k < sizeof jobs / sizeof *jobs; k++) {
        trial->jobs = jobs[k];
        request = request_of(&traces, trial->seed, jobs[k], out[1]);
        replay_drive(&request, &several);
        same = same_outcomes(&one, &several, traces.count) && (*one.error || same_files(&traces));
        replay_outcome_free(&several, traces.count);
    }
    replay_outcome_free(&one, traces.count);
    trace_directory_close(&traces);
    return same;
}

static bool breaks(const struct simulation_program *program, void *context)
{
    struct trial *trial = context;
    struct simulation_machine machine = simulated_machine(trial->seed, 100, 0);
    struct simulation_result measured;
    uint64_t random = trial->seed;
    bool broken = false;
    if (simulation_run(program, &machine, &measured)) {
        if (is_damaged(trial->seed))
            damage(&measured, &random);
        write_traces(program, &machine, &measured, &random);
        broken = !same_for_all(trial);
        remove_traces(in);
        remove_traces(out[0]);
        remove_traces(out[1]);
    }
    simulation_result_free(&measured);
    return broken;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, ended = 0,
             programs = argc > 2 ? strtoull(argv[2], NULL, 10) : PROGRAMS;
    int status = 0;
    if (access("/dev/shm", W_OK) == 0) /* many small files: a disk would decide how long it takes */
        setenv("TMPDIR", "/dev/shm", 0);
    in = trace_maker_directory();
    out[0] = trace_maker_directory();
    out[1] = trace_maker_directory();
    for (uint64_t seed = first; !status && seed < first + programs; seed++) {
        struct trial trial = {.seed = seed, .ended = &ended};
        struct simulation_shape shape = {.seed = seed,
                                         .phases = (1u << 17) - 1,
                                         .locations = 2 + (uint32_t)(seed % (LOCATIONS - 1)),
                                         .length = 1 + (uint32_t)(seed % LENGTH),
                                         .work = WORK};
        struct simulation_program program = simulation_generate(&shape);
        if (breaks(&program, &trial)) {
            simulation_shrink(&program, breaks, &trial);
            simulation_print(&program);
            fprintf(stderr, "seed %" PRIu64 ", %u threads: another result than with one\n", seed, trial.jobs);
            status = 1;
        }
        simulation_program_free(&program);
    }
    printf("%" PRIu64 " programs, %" PRIu64 " of them replayed to their end\n", programs, ended);
    trace_maker_remove(in);
    trace_maker_remove(out[0]);
    trace_maker_remove(out[1]);
    return status;
}
