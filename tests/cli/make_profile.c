/* make_profile DIR [KEY=VALUE...] < TREE: a data directory with exact, known numbers, for the tests of the command
 * line.
 *
 * TREE has a line for each call path, indented by its depth: "NAME CALLS EXCLUSIVE_NS [WAITING_NS READY_NS]", the time
 * being what the program would take without measurement, and the last two parts of it (COUNTS alone). "thread NAME"
 * begins another thread. NAME may hold \xHH. The clock ticks once a nanosecond. Keys: own, descendant (ns a call,
 * default 10 and 25), spread (ns), command, options, state (closed or killed), pid, rank, flags, lost, stopped, fitted,
 * startup and closing (ns), begun (ns since 1970). A NAME behind "-" is filtered out.
 *
 * "times NAME NS COUNT": so many activations of the first path of NAME took so long; the longest began 1 s after 1970.
 *
 * With flags=512 (COUNTS) each function has as many calls in the counters as TREE tells, of threads that live, and
 * "count NAME CALLS KIND LEVEL" adds CALLS of KIND live, ended, common or after to a function of LEVEL timed, counted
 * or off, in TREE or not. Keys: price (ns a call counted in place), falls, ended=1 (threads but the first have ended).
 * The times of TREE have what counting cost in them. */
#include "compensation/numeric/log_buckets.h"
#include "tests/support/profile_writer.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINES_MAX = 1000, DEPTH_MAX = 200 };

struct spec {
    char name[200];
    int depth, parent, thread;
    bool skipped;
    long long calls, exclusive, waiting, ready;
    long long inclusive, below; /* without measurement; calls below */
    uint64_t link;
    uint32_t function;
};

static struct spec specs[LINES_MAX];
static int spec_count;
static char thread_names[WRITER_THREADS][32] = {"main"};
static int thread_count = 1;

static struct count {
    char name[200];
    long long calls;
    int kind;
    uint32_t flags, function;
} extra_counts[LINES_MAX];
static int count_count;

static struct times {
    char name[200];
    long long ns, count;
} times[LINES_MAX];
static int times_count;

static void fail(const char *what)
{
    fprintf(stderr, "make_profile: %s\n", what);
    exit(1);
}

static const char *argument(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    for (int i = 2; i < argc; i++)
        if (!strncmp(argv[i], key, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    return otherwise;
}

static void unescape(char *to, const char *from)
{
    for (; *from; from++) {
        if (from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2]) && isxdigit((unsigned char)from[3])) {
            char digits[] = {from[2], from[3], 0};
            *to++ = (char)strtol(digits, NULL, 16);
            from += 3;
        } else
            *to++ = *from;
    }
    *to = 0;
}

/* "count NAME CALLS KIND LEVEL": true. */
static bool read_count(const char *line)
{
    static const char *const kinds[] = {NULL, "live", "ended", "common", "after"};
    char kind[20], level[20];
    struct count *count = &extra_counts[count_count];
    if (sscanf(line, "count %199s %lld %19s %19s", count->name, &count->calls, kind, level) != 4)
        return false;
    for (int k = PCOMP_COUNTS_THREAD; k <= PCOMP_COUNTS_AFTER; k++)
        if (!strcmp(kind, kinds[k]))
            count->kind = k;
    count->flags = !strcmp(level, "counted") ? PCOMP_FUNCTION_COUNTED : !strcmp(level, "off") ? PCOMP_FUNCTION_OFF : 0;
    if (!count->kind || ++count_count == LINES_MAX)
        fail("a count is of no kind, or one too many");
    return true;
}

/* "times NAME NS COUNT": true. */
static bool read_times(const char *line)
{
    struct times *t = &times[times_count];
    if (sscanf(line, "times %199s %lld %lld", t->name, &t->ns, &t->count) != 3)
        return false;
    if (++times_count == LINES_MAX)
        fail("too many times");
    return true;
}

static void read_tree(void)
{
    char line[400], name[200];
    int path[DEPTH_MAX];
    while (fgets(line, sizeof line, stdin)) {
        int spaces = (int)strspn(line, " "), depth = spaces / 2;
        if (line[spaces] == '\n' || line[spaces] == '#')
            continue;
        if (read_count(line) || read_times(line))
            continue;
        if (sscanf(line, "thread %31s", thread_names[thread_count]) == 1) {
            if (++thread_count == WRITER_THREADS)
                fail("too many threads");
            continue;
        }
        struct spec *spec = &specs[spec_count];
        if (spec_count == LINES_MAX || depth >= DEPTH_MAX ||
            sscanf(line, " %199s %lld %lld %lld %lld", name, &spec->calls, &spec->exclusive, &spec->waiting,
                   &spec->ready) < 3)
            fail("a line is not NAME CALLS EXCLUSIVE_NS");
        spec->skipped = *name == '-';
        for (char *p = name; *p; p++)
            if (*p == '~') /* a space in a name */
                *p = ' ';
        unescape(spec->name, name + spec->skipped);
        spec->depth = depth;
        spec->thread = thread_count - 1;
        spec->parent = depth ? path[depth - 1] : -1;
        path[depth] = spec_count++;
    }
    for (int i = spec_count - 1; i >= 0; i--) {
        specs[i].inclusive += specs[i].exclusive;
        if (specs[i].parent >= 0) {
            specs[specs[i].parent].inclusive += specs[i].inclusive;
            specs[specs[i].parent].below += specs[i].below + specs[i].calls;
        }
    }
}

static uint32_t function_of(struct profile_writer *w, int index)
{
    for (int i = 0; i < index; i++)
        if (!strcmp(specs[i].name, specs[index].name))
            return specs[i].function;
    return profile_writer_function(w, UINT32_MAX, 0x1000 + 16 * (uint64_t)index, specs[index].name);
}

static void write_threads(struct profile_writer *w, long long own, long long descendant)
{
    for (int t = 0; t < thread_count; t++) {
        profile_writer_thread(w, 1000 + t, thread_names[t], t == 0 ? PCOMP_THREAD_MAIN : 0);
        for (int i = 0; i < spec_count; i++) {
            if (specs[i].thread != t)
                continue;
            specs[i].function = function_of(w, i);
            uint64_t parent = specs[i].parent < 0 ? w->root[t] : specs[specs[i].parent].link;
            struct writer_counts counts = {
                .calls = (uint64_t)specs[i].calls,
                .raw = (uint64_t)(specs[i].inclusive + own * specs[i].calls + descendant * specs[i].below),
                .compensated = specs[i].inclusive * (1 << PCOMP_FIX_SHIFT),
                .flags = specs[i].skipped ? PCOMP_NODE_SKIPPED : 0,
            };
            specs[i].link = profile_writer_node(w, (uint32_t)t, parent, specs[i].function, counts);
            if (profile_writer_header(w)->flags & PCOMP_FLAG_COUNTS)
                *profile_writer_off_cpu(w, specs[i].link) =
                    (struct pcomp_node_off_cpu){(uint64_t)specs[i].waiting, (uint64_t)specs[i].ready};
        }
    }
}

static int64_t fixed(long long ns)
{
    return ns * (1 << PCOMP_FIX_SHIFT);
}

static void write_times(struct profile_writer *w)
{
    for (int i = 0; i < spec_count; i++) {
        static uint32_t counts[PCOMP_BUCKETS - PCOMP_BUCKET_FIRST];
        struct pcomp_node *node = profile_writer_at(w, specs[i].link);
        int64_t min = INT64_MAX, max = INT64_MIN;
        bool first = true;
        for (int k = 0; k < i; k++)
            first &= strcmp(specs[k].name, specs[i].name) != 0;
        memset(counts, 0, sizeof counts);
        for (int k = 0; k < times_count && first; k++) {
            int64_t time = fixed(times[k].ns);
            if (strcmp(times[k].name, specs[i].name) != 0)
                continue;
            counts[pcomp_bucket(time) - PCOMP_BUCKET_FIRST] += (uint32_t)times[k].count;
            min = time < min ? time : min;
            max = time > max ? time : max;
        }
        if (min > max)
            continue;
        node->min = min;
        node->top = max;
        profile_writer_spread(w, (uint32_t)specs[i].thread, specs[i].link, PCOMP_BUCKET_FIRST, counts,
                              PCOMP_BUCKETS - PCOMP_BUCKET_FIRST, max, profile_writer_header(w)->tick0);
        profile_writer_header(w)->real0_ns = 1000000000;
    }
}

static void write_counters(struct profile_writer *w)
{
    static uint64_t counters[PCOMP_COUNTS_AFTER + 1][LINES_MAX];
    bool used[PCOMP_COUNTS_AFTER + 1] = {[PCOMP_COUNTS_THREAD] = true};
    for (int i = 0; i < spec_count; i++)
        counters[PCOMP_COUNTS_THREAD][specs[i].function] += (uint64_t)specs[i].calls;
    for (int i = 0; i < count_count; i++) {
        struct count *count = &extra_counts[i];
        for (int k = 0; k < spec_count && !count->function; k++)
            count->function = !strcmp(specs[k].name, count->name) ? specs[k].function : 0;
        for (int k = 0; k < i && !count->function; k++)
            count->function = !strcmp(extra_counts[k].name, count->name) ? extra_counts[k].function : 0;
        if (!count->function)
            count->function = profile_writer_function(w, UINT32_MAX, 0x90000 + 16 * (uint64_t)i, count->name);
        profile_writer_function_at(w, count->function)->flags |= count->flags;
        counters[count->kind][count->function] += (uint64_t)count->calls;
        used[count->kind] = true;
    }
    for (int kind = PCOMP_COUNTS_THREAD; kind <= PCOMP_COUNTS_AFTER; kind++)
        if (used[kind])
            profile_writer_counters(w, (enum pcomp_counts_kind)kind, counters[kind], w->functions);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2)
        fail("usage: make_profile DIR [KEY=VALUE...] < TREE");
    long long own = atoll(argument(argc, argv, "own", "10"));
    long long descendant = atoll(argument(argc, argv, "descendant", "25"));
    double spread = atof(argument(argc, argv, "spread", "0"));
    int pid = atoi(argument(argc, argv, "pid", "1000"));
    const char *command = argument(argc, argv, "command", "./program");
    read_tree();

    struct profile_writer w;
    profile_writer_init(&w, (uint32_t)atoi(argument(argc, argv, "flags", "0")), 0);
    write_threads(&w, own, descendant);
    if (profile_writer_header(&w)->flags & PCOMP_FLAG_COUNTS)
        write_counters(&w);
    write_times(&w);
    for (uint32_t t = 1; t < w.threads && atoi(argument(argc, argv, "ended", "0")); t++)
        ((struct pcomp_thread *)profile_writer_at(&w, w.record[t]))->end_tick = 500000;
    char text[256] = ""; /* arguments with one NUL between and two at the end */
    snprintf(text, sizeof text - 1, "%s", command);
    size_t size = strlen(text) + 2;
    for (char *p = text; (p = strchr(p, ' '));)
        *p++ = 0;
    uint64_t command_link = profile_writer_text(&w, text, size);
    struct pcomp_header *header = profile_writer_header(&w);
    for (int v = 0; v < 3; v++)
        header->delta_start[v] = (struct pcomp_delta){.own = own << PCOMP_FIX_SHIFT,
                                                      .descendant = descendant << PCOMP_FIX_SHIFT,
                                                      .own_spread = (int64_t)(spread * (1 << PCOMP_FIX_SHIFT)),
                                                      .descendant_spread = (int64_t)(spread * (1 << PCOMP_FIX_SHIFT)),
                                                      .repetitions = 10,
                                                      .batch = 1};
    header->command_link = command_link;
    header->real0_ns += (uint64_t)atoll(argument(argc, argv, "begun", "0"));
    header->startup_ns = (uint64_t)atoll(argument(argc, argv, "startup", "0"));
    header->closing_ns = (uint64_t)atoll(argument(argc, argv, "closing", "0"));
    header->count_cost = (int64_t)(atof(argument(argc, argv, "price", "0")) * (1 << PCOMP_FIX_SHIFT));
    header->level_falls = (uint64_t)atoll(argument(argc, argv, "falls", "0"));
    snprintf(header->fitted, sizeof header->fitted, "%s", argument(argc, argv, "fitted", ""));
    header->pid = pid;
    header->rank = atoi(argument(argc, argv, "rank", "-1"));
    header->lost_calls = (uint64_t)atoll(argument(argc, argv, "lost", "0"));
    header->stopped = (uint32_t)atoi(argument(argc, argv, "stopped", "0"));
    if (!strcmp(argument(argc, argv, "state", "closed"), "killed"))
        header->state = PCOMP_STATE_LIVE;
    snprintf(header->options, sizeof header->options, "%s", argument(argc, argv, "options", ""));
    snprintf(header->host, sizeof header->host, "host");

    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST)
        fail(strerror(errno));
    snprintf(path, sizeof path, "%s/run", argv[1]);
    FILE *run = fopen(path, "w");
    if (!run || fprintf(run, "pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n") < 0 || fclose(run) != 0)
        fail("cannot write the file run");
    snprintf(path, sizeof path, "%s/%d-0.pcomp", argv[1], pid);
    if (!profile_writer_save(&w, path))
        fail("cannot write the profile");
    profile_writer_free(&w);
    return 0;
}
