#include "tests/support/trace_paths.h"

#include "profiler/format/profile_format.h"
#include "reporters/trace/files/trace_file.h"
#include "tests/instrument/programs/step_order.h"
#include "tests/support/elf_symbols.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct profile { /* of one process */
    const char *map;
    struct pcomp_header header;
};

struct name { /* of an address from `since` until `gone`; a small cache, since symbols are searched */
    uint64_t address, since, gone;
    const char *text;
};

struct open {
    struct path_node *node;
    uint64_t function, time, excluded;
};

struct walker {
    struct trace_paths *paths;
    struct trace_walk *location;
    const struct profile *profile;
    struct path_node *root;
    struct open stack[1 << 17];
    size_t depth;
    uint64_t since, excluded; /* flushes and pauses: begin of the one that is under way, sum of those that ended */
    struct name names[4096];
    struct pcomp_event last;
    uint64_t order; /* step_next */
};

static void *claim(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static const char *at_link(const struct profile *p, uint64_t link)
{
    return p->map + (link - p->header.base);
}

static struct name search_name(const struct profile *p, uint64_t address, uint64_t time)
{
    uint64_t plain = address & ~PCOMP_EVENT_REGION;
    const char *found = NULL;
    uint64_t gone = UINT64_MAX;
    for (uint64_t at = p->header.header_size; at < p->header.used && !found;) {
        const struct pcomp_chunk *c = (const struct pcomp_chunk *)(p->map + at);
        const struct pcomp_module *m = (const struct pcomp_module *)(c + 1);
        const struct pcomp_function *f = (const struct pcomp_function *)(c + 1);
        for (uint32_t i = 0; i < c->count && !found; i++)
            if (c->kind == PCOMP_CHUNK_FUNCTIONS && plain != address && f[i].address == plain)
                found = at_link(p, f[i].name_link);
            else if (c->kind == PCOMP_CHUNK_MODULES && plain == address && address >= m[i].start &&
                     address < m[i].end && (!m[i].gone_tick || time < m[i].gone_tick)) {
                found = elf_symbol_name(at_link(p, m[i].path_link), address - m[i].bias);
                gone = m[i].gone_tick ? m[i].gone_tick : UINT64_MAX;
            }
        at += c->size;
    }
    return (struct name){address, time, gone, claim(strdup(found ? found : "?"))};
}

static const char *name_of(struct walker *w, uint64_t address, uint64_t time)
{
    struct name *n = &w->names[(address >> 2) % (sizeof w->names / sizeof *w->names)];
    if (n->address != address || time < n->since || time >= n->gone)
        *n = search_name(w->profile, address, time);
    return n->text;
}

static struct path_node *child(struct trace_paths *p, struct path_node *parent, const char *name, int pid)
{
    struct path_node *n = parent->children;
    while (n && strcmp(n->name, name) != 0)
        n = n->next;
    if (!n) {
        n = claim(calloc(1, sizeof *n));
        *n = (struct path_node){.name = name, .parent = parent, .next = parent->children, .pid = pid};
        parent->children = n;
        n->before = p->nodes;
        p->nodes = n;
    }
    return n;
}

static bool encloses(const struct path_node *n, const char *name)
{
    unsigned looked = 0;
    for (n = n->parent; n && n->name && looked++ < 1000; n = n->parent)
        if (!strcmp(n->name, name))
            return true;
    return false;
}

static void pop(struct walker *w, uint64_t time)
{
    struct open *top = &w->stack[--w->depth];
    top->node->open--;
    if (!encloses(top->node, top->node->name))
        top->node->ticks += time - top->time - (w->excluded - top->excluded);
}

static void step(struct walker *w, bool enter, const char *name)
{
    char wanted[16];
    struct trace_paths *p = w->paths;
    if (strncmp(name, "step_", 5))
        return;
    if (enter)
        step_name(step_next(&w->order), wanted);
    if (enter && !strcmp(name, wanted) && !p->wrong_steps)
        p->steps++;
    else if (enter)
        p->wrong_steps++;
}

static void follow(struct walker *w, const struct pcomp_event *e)
{
    uint64_t value = pcomp_event_value(e);
    uint32_t kind = pcomp_event_kind(e);
    struct path_node *under = w->depth ? w->stack[w->depth - 1].node : w->root;
    w->paths->kinds[kind]++;
    if (kind == PCOMP_EVENT_ENTER || kind == PCOMP_EVENT_EXIT) {
        const char *name = name_of(w, value, e->time);
        w->location->enters_and_exits++;
        w->location->hash = step_hash(w->location->hash, kind == PCOMP_EVENT_ENTER, name);
        step(w, kind == PCOMP_EVENT_ENTER, name);
    }
    if (kind == PCOMP_EVENT_ENTER) {
        if (w->depth == sizeof w->stack / sizeof *w->stack)
            abort();
        struct path_node *n = child(w->paths, under, name_of(w, value, e->time), w->location->pid);
        n->calls++;
        n->open++;
        w->stack[w->depth++] = (struct open){n, value, e->time, w->excluded};
    } else if (kind == PCOMP_EVENT_EXIT) {
        size_t at = w->depth;
        while (at && w->stack[at - 1].function != value)
            at--;
        w->paths->unmatched += !at;
        for (; at && w->depth > at; w->paths->abandoned++)
            pop(w, e->time);
        if (at)
            pop(w, e->time);
    } else if (kind == PCOMP_EVENT_UNWIND) {
        for (; value && w->depth; value--, w->paths->abandoned++)
            pop(w, e->time);
        w->paths->unmatched += value;
    } else if (kind == PCOMP_EVENT_SUPPRESSED) {
        struct path_node *n = child(w->paths, w->root, name_of(w, value, e->time), w->location->pid);
        n->calls += ((const struct pcomp_event_long *)(const void *)e)->a;
        w->paths->held += ((const struct pcomp_event_long *)(const void *)e)->a;
    } else if (kind == PCOMP_EVENT_UNRECORDED) {
        w->paths->unrecorded += ((const struct pcomp_event_long *)(const void *)e)->a;
    } else if (kind == PCOMP_EVENT_FLUSH_BEGIN || kind == PCOMP_EVENT_PAUSE) {
        w->since = e->time;
    } else if (kind == PCOMP_EVENT_FLUSH_END || kind == PCOMP_EVENT_RESUME) {
        w->excluded += e->time - w->since;
    }
    w->last = *e;
}

static bool is_forked(const struct trace_paths *p, int pid)
{
    for (const int *at = p->forked; *at; at++)
        if (*at == pid)
            return true;
    return false;
}

static struct profile load_profile(const char *path)
{
    struct stat st;
    struct profile p = {NULL, {.pid = 0}};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < sizeof p.header) {
        perror(path);
        exit(1);
    }
    p.map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p.map == MAP_FAILED)
        exit(1);
    memcpy(&p.header, p.map, sizeof p.header);
    return p;
}

static void walk_file(struct walker *w, struct trace_file *file, void (*miss)(const char *, ...))
{
    static char buffer[1 << 20];
    char error[500];
    uint64_t lost = 0, starts = 0;
    for (int64_t n; (n = trace_file_read(file, buffer, sizeof buffer, error, sizeof error));) {
        if (n < 0) {
            miss("%s", error);
            return;
        }
        for (int64_t at = 0; at < n;) {
            const struct pcomp_event *e = (const struct pcomp_event *)(buffer + at);
            if (w->last.time > e->time)
                miss("%s: time steps back", file->path);
            if (pcomp_event_kind(&w->last) == PCOMP_EVENT_END)
                miss("%s: an event after END", file->path);
            if (pcomp_event_kind(e) == PCOMP_EVENT_START && w->last.what && !starts++)
                miss("%s: START is not the first event", file->path);
            lost += pcomp_event_kind(e) == PCOMP_EVENT_LOST ? pcomp_event_value(e) : 0;
            follow(w, e);
            at += pcomp_event_size(e);
        }
    }
    if (lost != file->header.lost)
        miss("%s: LOST tells of %lu, the header of %lu", file->path, lost, file->header.lost);
    w->paths->lost += file->header.lost;
    w->paths->tick_ns = trace_file_tick_ns(file);
}

/* All traces of a process: <stem>.*.trace */
static void load_traces(struct trace_paths *p, const struct profile *profile, const char *stem,
                        void (*miss)(const char *, ...))
{
    static struct walker w;
    char pattern[4300], error[500];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.*.trace", stem);
    if (glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        if (profile->header.state != PCOMP_STATE_CLOSED && stat(found.gl_pathv[i], &status) == 0 && !status.st_size)
            continue; /* killed as it began it */
        struct trace_file *file = trace_file_open(found.gl_pathv[i], false, error, sizeof error);
        if (!file) {
            miss("%s", error);
            continue;
        }
        p->locations = claim(realloc(p->locations, (p->location_count + 1) * sizeof *p->locations));
        struct trace_walk *l = &p->locations[p->location_count++];
        *l = (struct trace_walk){.pid = file->header.pid, .tid = file->header.tid};
        struct path_node *root = claim(calloc(1, sizeof *root));
        w.depth = 0;
        w.excluded = w.since = 0;
        w.last = (struct pcomp_event){0, 0};
        w.order = STEP_SEED;
        w.paths = p;
        w.location = l;
        w.profile = profile;
        w.root = root;
        if (profile->header.pid != l->pid || memcmp(profile->header.run_id, file->header.run_id, 16))
            miss("%s: its process is another than the profile's", file->path);
        walk_file(&w, file, miss);
        trace_file_close(file);
    }
    memset(w.names, 0, sizeof w.names);
    globfree(&found);
}

struct trace_paths *trace_paths_load(const char *dir, void (*miss)(const char *format, ...))
{
    struct trace_paths *p = claim(calloc(1, sizeof *p));
    char pattern[4200];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*.pcomp", dir);
    if (glob(pattern, 0, NULL, &found)) {
        miss("%s: there is no profile", dir);
        exit(1);
    }
    p->forked = claim(calloc(found.gl_pathc + 1, sizeof *p->forked));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct profile profile = load_profile(found.gl_pathv[i]);
        const struct pcomp_header *h = &profile.header;
        if (!(h->flags & PCOMP_FLAG_TRACE) || h->node_count)
            miss("%s: is not that of a process that was traced", found.gl_pathv[i]);
        p->processes++;
        p->closed += h->state == PCOMP_STATE_CLOSED;
        p->late += h->late_calls;
        p->stopped |= h->stopped;
        for (int *at = p->forked; h->forked_from; at++)
            if (!*at) {
                *at = h->pid;
                break;
            }
        char *dot = strrchr(found.gl_pathv[i], '.');
        *dot = 0;
        uint64_t unmatched = p->unmatched;
        load_traces(p, &profile, found.gl_pathv[i], miss);
        if (h->forked_from)
            p->unmatched = unmatched; /* exits of what its parent had entered */
    }
    globfree(&found);
    return p;
}

static bool has_path(const struct path_node *n, const char *path)
{
    const char *end = path + strlen(path);
    for (; n && n->name; n = n->parent) {
        size_t length = strlen(n->name);
        if ((size_t)(end - path) < length || memcmp(end - length, n->name, length) != 0)
            return false;
        end -= length;
        if (end > path && *--end != '>')
            return false;
    }
    return end == path;
}

bool trace_paths_sum(const struct trace_paths *p, enum path_sum what, int pid, const char *name, double *sum)
{
    *sum = 0;
    if (what == PATH_CALLS && (is_forked(p, pid) || (!pid && *p->forked)))
        return false;
    if (what != PATH_NAMED && p->kinds[PCOMP_EVENT_SUPPRESSED])
        return false; /* some calls are in no path */
    for (const struct path_node *n = p->nodes; n; n = n->before)
        if ((!pid || n->pid == pid) && (what == PATH_CALLS ? has_path(n, name) : !strcmp(n->name, name))) {
            if (what == PATH_ELAPSED && n->open)
                return false; /* until when, nothing tells */
            *sum += what == PATH_OPEN      ? (double)n->open
                    : what == PATH_ELAPSED ? (double)n->ticks * p->tick_ns / 1e6
                                           : (double)n->calls;
        }
    return true;
}

bool trace_paths_value(const struct trace_paths *p, const char *key, double *value)
{
    const struct {
        const char *key;
        uint64_t value;
    } known[] = {{"abandoned", p->abandoned}, {"unmatched", p->unmatched},    {"lost", p->lost},
                 {"late", p->late},           {"stopped", p->stopped},        {"processes", p->processes},
                 {"closed", p->closed},       {"threads", p->location_count}, {"live", p->processes - p->closed}};
    if (!strcmp(key, "abandoned") && p->kinds[PCOMP_EVENT_SUPPRESSED])
        return false; /* nor how they ended */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(key, known[i].key)) {
            *value = (double)known[i].value;
            return true;
        }
    return false;
}
