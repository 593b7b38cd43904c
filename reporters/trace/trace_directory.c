#include "reporters/trace/trace_directory.h"

#include "reporters/profile/data_directory.h"
#include "reporters/profile/profile_file.h"
#include "reporters/profile/run_set.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define RATES_DIFFER 1e-3 /* of two clocks that are not one */

struct found { /* a trace by its name */
    int pid;
    unsigned image, location;
};

static void warn(struct trace_directory *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(struct trace_directory *d, const char *format, ...)
{
    char **grown = realloc(d->warnings, (d->warning_count + 1) * sizeof *grown), *text;
    if (!grown)
        return;
    d->warnings = grown;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0)
        d->warnings[d->warning_count++] = text;
    va_end(args);
}

static bool fail(char *error, size_t error_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(char *error, size_t error_size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, error_size, format, args);
    va_end(args);
    return false;
}

/* --- Which files there are --------------------------------------------------------------------------------------- */

/* "<pid>-<n>.<location>.trace", compressed or not. */
static bool parse_name(const char *name, struct found *found)
{
    int end = 0;
    if (*name < '1' || *name > '9' ||
        sscanf(name, "%9d-%9u.%9u" PCOMP_TRACE_SUFFIX "%n", &found->pid, &found->image, &found->location, &end) != 3)
        return false;
    return end > 0 && (!name[end] || !strcmp(name + end, ".zst"));
}

static int compare_found(const void *x, const void *y)
{
    const struct found *a = x, *b = y;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->image != b->image)
        return a->image < b->image ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

/* The traces of the directory, each once; *count of them. NULL with errno. */
static struct found *list_traces(const char *path, size_t *count)
{
    DIR *dir = opendir(path);
    size_t room = 64;
    struct found *list = dir ? malloc(room * sizeof *list) : NULL;
    *count = 0;
    for (struct dirent *e; list && (e = readdir(dir));) {
        if (!parse_name(e->d_name, &list[*count]))
            continue;
        if (++*count < room)
            continue;
        struct found *grown = realloc(list, 2 * room * sizeof *list);
        if (!grown)
            free(list);
        list = grown;
        room *= 2;
    }
    if (dir)
        closedir(dir);
    if (!list)
        return NULL;
    qsort(list, *count, sizeof *list, compare_found);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) /* one that is being compressed is there twice */
        if (!kept || compare_found(&list[kept - 1], &list[i]))
            list[kept++] = list[i];
    *count = kept;
    return list;
}

static bool is_directory(const char *path, const char *name)
{
    struct stat status;
    char whole[4200];
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    return stat(whole, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool nothing_there(const char *path, char *error, size_t error_size)
{
    if (is_directory(path, "lower") && is_directory(path, "model"))
        return fail(error, error_size, "%s: holds lower, upper and model, each a data directory (name one: %s/model)",
                    path, path);
    return fail(error, error_size, "%s: no trace in it (record one with pcomp record --trace)", path);
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

/* A file a location, all open at a time. */
static void allow_files(size_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count + 64) {
        limit.rlim_cur = limit.rlim_max < count + 64 ? limit.rlim_max : count + 64;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* A thread whose file found no room for its header left it empty, or was killed before it wrote one. */
static bool is_empty(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

static bool open_files(struct trace_directory *d, const struct found *list, size_t count, bool salvage, char *error,
                       size_t error_size)
{
    allow_files(2 * count); /* a replay writes as many */
    d->locations = calloc(count, sizeof *d->locations);
    if (!d->locations)
        return fail(error, error_size, "%s: out of memory", d->path);
    for (size_t i = 0; i < count; i++) {
        char path[4300];
        snprintf(path, sizeof path, "%s/%d-%u.%u" PCOMP_TRACE_SUFFIX, d->path, list[i].pid, list[i].image,
                 list[i].location);
        if (is_empty(path)) {
            warn(d, "%s: is empty: a thread had no room for its trace, or was killed as it began one; left out", path);
            continue;
        }
        errno = 0;
        struct trace_file *file = trace_file_open(path, salvage, error, error_size);
        if (file && file->header.flags & PCOMP_TRACE_REMAPPED) {
            trace_file_close(file);
            return fail(error, error_size, "%s: is what an unfinished replay left (delete its directory)", path);
        }
        if (file)
            d->locations[d->count++].file = file;
        else if (!salvage || errno == EMFILE)
            return false;
        else
            warn(d, "%s; left out", error);
    }
    return d->count || fail(error, error_size, "%s: no trace that can be read", d->path);
}

/* "<pid>-<n>" of a path of a trace, into buffer. */
static const char *process_of(const char *path, char *buffer, size_t size)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    snprintf(buffer, size, "%.*s", (int)strcspn(name, "."), name);
    return buffer;
}

static bool same_process(const struct trace_location *a, const struct trace_location *b)
{
    char x[64], y[64];
    return !strcmp(process_of(a->file->path, x, sizeof x), process_of(b->file->path, y, sizeof y));
}

static unsigned image_of(const struct trace_location *a)
{
    char name[64];
    unsigned image = 0;
    sscanf(process_of(a->file->path, name, sizeof name), "%*d-%u", &image);
    return image;
}

static int compare_locations(const void *x, const void *y)
{
    const struct trace_location *a = x, *b = y;
    const struct pcomp_trace_header *g = &a->file->header, *h = &b->file->header;
    uint32_t rank[2] = {(uint32_t)g->rank, (uint32_t)h->rank}; /* without a rank: last */
    unsigned image[2] = {image_of(a), image_of(b)};
    bool main[2] = {g->flags & PCOMP_TRACE_MAIN, h->flags & PCOMP_TRACE_MAIN};
    if (rank[0] != rank[1])
        return rank[0] < rank[1] ? -1 : 1;
    if (g->pid != h->pid)
        return g->pid < h->pid ? -1 : 1;
    if (image[0] != image[1])
        return image[0] < image[1] ? -1 : 1;
    if (main[0] != main[1])
        return main[0] ? -1 : 1;
    return g->location < h->location ? -1 : g->location > h->location;
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

static bool name_location(const struct trace_directory *d, struct trace_location *l)
{
    const struct pcomp_trace_header *h = &l->file->header;
    char process[48] = "", thread[32] = "";
    if (h->rank >= 0)
        snprintf(process, sizeof process, "rank %d", h->rank);
    else if (d->processes > 1)
        snprintf(process, sizeof process, "pid %d", h->pid);
    if (!(h->flags & PCOMP_TRACE_MAIN))
        snprintf(thread, sizeof thread, "thread %u", h->location);
    else if (!*process)
        snprintf(thread, sizeof thread, "main");
    return asprintf(&l->name, "%s%s%s", process, *process && *thread ? " " : "", thread) >= 0 || (l->name = NULL);
}

static int compare_names(const void *x, const void *y)
{
    return strcmp((*(struct trace_location *const *)x)->name, (*(struct trace_location *const *)y)->name);
}

/* Two images of one process, or two jobs with ranks of their own: the file says which. */
static bool make_unique(struct trace_directory *d)
{
    struct trace_location **order = malloc(d->count * sizeof *order);
    bool *doubled = calloc(d->count, sizeof *doubled), ok = order && doubled;
    for (uint32_t i = 0; ok && i < d->count; i++)
        order[i] = &d->locations[i];
    if (ok)
        qsort(order, d->count, sizeof *order, compare_names);
    for (uint32_t i = 1; ok && i < d->count; i++)
        if (!strcmp(order[i - 1]->name, order[i]->name))
            doubled[i - 1] = doubled[i] = true;
    for (uint32_t i = 0; ok && i < d->count; i++) {
        char file[64], *name;
        if (!doubled[i])
            continue;
        ok = asprintf(&name, "%s of %s", order[i]->name, process_of(order[i]->file->path, file, sizeof file)) >= 0;
        if (ok) {
            free(order[i]->name);
            order[i]->name = name;
        }
    }
    free(order);
    free(doubled);
    return ok;
}

/* --- Whether they belong together --------------------------------------------------------------------------------- */

/* Ticks of the first clock in a tick of the other; 1: they are of one rate. */
static double rate_of(const struct pcomp_trace_header *first, const struct pcomp_trace_header *other)
{
    double rate = first->tick_hz / other->tick_hz;
    return fabs(rate - 1) > RATES_DIFFER ? rate : 1;
}

static bool check_run(const struct trace_directory *d, char *error, size_t error_size)
{
    const struct pcomp_trace_header *first = &d->locations[0].file->header;
    for (uint32_t i = 1; i < d->count; i++) {
        const struct trace_file *file = d->locations[i].file;
        if (memcmp(first->run_id, file->header.run_id, sizeof first->run_id))
            return fail(error, error_size, "%s: belongs to another run than %s (take it away)", file->path,
                        d->locations[0].file->path);
        double rate = rate_of(first, &file->header);
        if (!isfinite(rate) || rate <= 0 || (fabs(rate - 1) > RATES_DIFFER && !file->header.offset_tick[0]))
            return fail(error, error_size,
                        "%s: its clock ticks at %.0f Hz, that of %s at %.0f Hz, and their offset was not measured "
                        "(record on machines with one clock rate, or ranks of one MPI job)",
                        file->path, file->header.tick_hz, d->locations[0].file->path, first->tick_hz);
    }
    return true;
}

static bool check_ranks(struct trace_directory *d, bool salvage, char *error, size_t error_size)
{
    int world = 0, next = 0;
    for (uint32_t i = 0; i < d->count; i++) /* by rank */
        if (d->locations[i].file->header.world > world)
            world = d->locations[i].file->header.world;
    for (uint32_t i = 0; i < d->count && d->locations[i].file->header.rank >= 0; i++) {
        int rank = d->locations[i].file->header.rank;
        if (rank > next)
            break;
        next = rank + 1;
    }
    if (next >= world)
        return true;
    if (!salvage)
        return fail(error, error_size, "%s: the trace of rank %d of %d is missing (--salvage does without)", d->path,
                    next, world);
    warn(d, "the trace of rank %d of %d is missing", next, world);
    return true;
}

static bool set_clocks(struct trace_directory *d, char *error, size_t error_size)
{
    uint64_t longest = 0;
    d->one_clock = d->one_node = true;
    for (uint32_t i = 0; i < d->count; i++) {
        struct trace_location *l = &d->locations[i];
        struct pcomp_trace_header *h = &l->file->header;
        if (!trace_clock_init(&l->clock, h, rate_of(&d->locations[0].file->header, h)))
            return fail(error, error_size, "%s: the offsets of its clock, %lld to %lld ticks, contradict each other",
                        l->file->path, (long long)h->offset[0], (long long)h->offset[1]);
        for (uint32_t kind = 0; kind < PCOMP_ALPHA_SAMPLING; kind++)
            h->alpha[kind] = trace_clock_length(&l->clock, h->alpha[kind]);
        l->file->context.more = trace_clock_length(&l->clock, l->file->context.more);
        l->file->context.error = trace_clock_length(&l->clock, l->file->context.error);
        l->file->alpha_spread = (uint64_t)trace_clock_length(&l->clock, (int64_t)l->file->alpha_spread);
        d->one_clock &= l->clock.same;
        uint64_t node = d->locations[0].file->header.node;
        d->one_node &= h->node && node ? h->node == node : l->clock.same;
        d->clock_error = 2 * l->clock.error > d->clock_error ? 2 * l->clock.error : d->clock_error;
        if (l->process == 0 && (!longest || h->tick1 - h->tick0 > longest)) {
            longest = h->tick1 - h->tick0;
            d->tick_ns = trace_file_tick_ns(l->file);
        }
    }
    return true;
}

/* Finds the processes among the sorted locations, and their profiles. */
/* What the profile of a process has. A damaged one gives what is whole. */
static bool read_profile(struct trace_directory *d, uint32_t process)
{
    char error[512];
    struct profile_file *profile = profile_file_open(d->profiles[process], PROFILE_LIVE, true, error, sizeof error);
    bool good = !profile || trace_modules_new(profile, &d->modules[process]);
    if (profile) {
        d->speed = fmax(d->speed, profile_speed_share(&profile->header));
        if (profile->header.site_enters || profile->header.site_sleds) /* MPI programs may have no sites */
            d->layout = fmax(d->layout, profile_layout_share(&profile->header));
        d->windows |= profile->header.windows > 0;
        d->sites[process] = profile_site_cost(profile);
    }
    profile_file_close(profile);
    return good;
}

static bool find_processes(struct trace_directory *d)
{
    d->profiles = calloc(d->count, sizeof *d->profiles);
    d->modules = calloc(d->count, sizeof *d->modules);
    d->sites = calloc(d->count, sizeof *d->sites);
    if (!d->profiles || !d->modules || !d->sites)
        return false;
    for (uint32_t i = 0; i < d->count; i++) {
        if (i && !same_process(&d->locations[i - 1], &d->locations[i]))
            d->processes++;
        d->locations[i].process = d->processes;
    }
    d->processes++;
    for (uint32_t i = 0; i < d->count; i++) {
        char name[64], path[4300];
        uint32_t process = d->locations[i].process;
        if (i && process == d->locations[i - 1].process)
            continue;
        snprintf(path, sizeof path, "%s/%s.pcomp", d->path, process_of(d->locations[i].file->path, name, sizeof name));
        if (access(path, R_OK))
            continue;
        if (!(d->profiles[process] = strdup(path)) || !read_profile(d, process))
            return false;
    }
    return true;
}

/* Fetches profiles that lie in memory, and says which processes still run. */
static void fetch_profiles(struct trace_directory *d)
{
    struct data_directory data;
    char error[1024];
    if (!data_directory_open(d->path, true, &data, error, sizeof error))
        return; /* without profiles there are no names, but times */
    for (size_t i = 0; i < data.file_count; i++)
        if (data.files[i].status == DATA_LIVE || data.files[i].status == DATA_STARTING ||
            data.files[i].status == DATA_DENIED)
            warn(d, "process %d is still running: its traces are read as far as they have come", data.files[i].pid);
    data_directory_close(&data);
}

bool trace_directory_open(const char *path, bool salvage, struct trace_directory *d, char *error, size_t error_size)
{
    struct stat status;
    size_t count;
    unsigned run;
    char *one = run_set_one(path, &run); /* of a set of runs, one is read */
    *d = (struct trace_directory){.path = one ? one : strdup(path)};
    if (one)
        warn(d, "%s is a set of runs: this is %s", path, one);
    struct found *list = list_traces(d->path ? d->path : path, &count);
    bool ok = d->path && list;
    if (stat(path, &status) && errno == ENOENT)
        fail(error, error_size, "%s: not found (record a program first: pcomp record --trace -o %s -- PROGRAM)", path,
             path);
    else if (!ok)
        fail(error, error_size, "%s: cannot be read: %s", path, strerror(errno));
    ok = ok && (count || nothing_there(path, error, error_size));
    ok = ok && open_files(d, list, count, salvage, error, error_size);
    free(list);
    if (ok) {
        qsort(d->locations, d->count, sizeof *d->locations, compare_locations);
        fetch_profiles(d);
        ok = find_processes(d);
        for (uint32_t i = 0; ok && i < d->count; i++)
            ok = name_location(d, &d->locations[i]);
        if (!(ok = ok && make_unique(d)))
            fail(error, error_size, "%s: out of memory", path);
    }
    ok = ok && check_run(d, error, error_size) && check_ranks(d, salvage, error, error_size) &&
         set_clocks(d, error, error_size);
    if (!ok)
        trace_directory_close(d);
    return ok;
}

void trace_directory_close(struct trace_directory *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        trace_file_close(d->locations[i].file);
        free(d->locations[i].name);
    }
    for (uint32_t i = 0; d->profiles && i < d->processes; i++)
        free(d->profiles[i]);
    for (uint32_t i = 0; d->modules && i < d->processes; i++)
        trace_modules_free(d->modules[i]);
    for (uint32_t i = 0; i < d->warning_count; i++)
        free(d->warnings[i]);
    free(d->locations);
    free(d->profiles);
    free(d->modules);
    free(d->sites);
    free(d->warnings);
    free(d->path);
    *d = (struct trace_directory){0};
}

int64_t trace_directory_read(const struct trace_directory *d, uint32_t location, void *buffer, size_t max, char *error,
                             size_t error_size)
{
    const struct trace_location *l = &d->locations[location];
    int64_t size = trace_file_read(l->file, buffer, max, error, error_size);
    if (size > 0)
        trace_modules_mark(d->modules[l->process], buffer, (size_t)size);
    if (size > 0)
        trace_clock_map(&l->clock, buffer, (size_t)size);
    return size;
}

uint64_t trace_directory_bytes(const struct trace_directory *directory)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < directory->count; i++)
        bytes += directory->locations[i].file->size;
    return bytes;
}
