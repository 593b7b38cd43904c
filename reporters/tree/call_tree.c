#include "reporters/tree/call_tree.h"

#include "profiler/format/names.h"
#include "reporters/base/text.h"
#include "reporters/profile/data_directory.h"
#include "reporters/tree/build/tree_builder.h"
#include "reporters/tree/merge/scope_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loaded_tree {
    struct call_tree tree; /* first: call_tree_free finds the rest behind it */
    struct text_pool texts;
};

static const char *clock_name(uint32_t clock)
{
    static const char *const names[] = {PCOMP_CLOCK_NAMES};
    return names[clock < sizeof names / sizeof *names ? clock : 0];
}

static bool is_wanted(const struct call_tree_options *options, const struct pcomp_header *h)
{
    return (!options->process || options->process == h->pid) && (options->rank < 0 || options->rank == h->rank);
}

/* Makes of a bare damage text ("offset 0x..: expected X, found Y") the whole line, with what can be done. */
static void advise_salvage(const struct call_tree_options *options, char *error, size_t error_size)
{
    size_t length = strlen(error);
    if (!options->salvage && strstr(error, ": offset 0x") && error_size > length + 1)
        snprintf(error + length, error_size - length, " (--salvage reads what is whole)");
}

static bool merge_file(struct tree_builder *b, const struct data_file *file, uint32_t *clock, char *error,
                       size_t error_size)
{
    struct pcomp_header header;
    bool live = file->status == DATA_LIVE;
    /* only the header of processes that are filtered out is read */
    if (!profile_file_read_header(file->path, &header, error, error_size))
        return false;
    if (!is_wanted(b->options, &header))
        return true;
    struct profile_file *profile =
        profile_file_open(file->path, live ? PROFILE_LIVE : PROFILE_ENDED, b->options->salvage, error, error_size);
    if (!profile)
        return false;
    if (!b->any)
        *clock = profile->header.clock;
    bool ok = merge_profile(b, profile, live, error, error_size);
    if (ok && profile->damage)
        tree_warn(b, "%s: damaged: %s; %llu bytes and %llu call paths were left out", file->path, profile->damage,
                  (unsigned long long)profile->left_out_bytes, (unsigned long long)profile->left_out_nodes);
    else if (ok && !live && profile->left_out_nodes)
        tree_warn(b, "%s: %llu call paths belong to no thread and were left out", file->path,
                  (unsigned long long)profile->left_out_nodes);
    profile_file_close(profile);
    return ok;
}

/* Killed before it measured anything: between creating its file and writing the header, or before its start was over.
 */
static bool never_began(const struct data_file *file)
{
    static const char nothing[sizeof(((struct pcomp_header *)0)->magic)];
    struct pcomp_header h = {0};
    FILE *f = file->status == DATA_LIVE ? NULL : fopen(file->path, "re");
    if (!f)
        return false;
    size_t size = fread(&h, 1, sizeof h, f);
    fclose(f);
    if (!memcmp(h.magic, nothing, sizeof nothing))
        return file->memory && size >= sizeof nothing;
    return size == sizeof h && !memcmp(h.magic, PCOMP_MAGIC, sizeof h.magic) && h.state == PCOMP_STATE_LIVE &&
           !h.thread_count && !h.startup_ns;
}

static bool merge_directory(struct tree_builder *b, const struct data_directory *d, uint32_t *clock, char *error,
                            size_t error_size)
{
    char first_error[1024] = "";
    size_t failed = 0;
    for (size_t i = 0; i < d->file_count; i++) {
        const struct data_file *file = &d->files[i];
        if (b->options->process && file->pid && b->options->process != file->pid)
            continue;
        if (file->status == DATA_STARTING)
            continue;
        if (file->status == DATA_GONE) {
            tree_warn(b, "the profile of process %d was in memory (%s) and is gone", file->pid, file->memory);
            continue;
        }
        if (never_began(file)) {
            tree_warn(b, "process %d was killed before it measured anything", file->pid);
            continue;
        }
        if (merge_file(b, file, clock, error, error_size))
            continue;
        if (!b->options->salvage)
            return false;
        tree_warn(b, "%s; left out", error);
        if (!failed++)
            snprintf(first_error, sizeof first_error, "%s", error);
    }
    if (b->any)
        return true;
    if (failed)
        snprintf(error, error_size, "%s", first_error);
    else if (b->options->process || b->options->rank >= 0)
        snprintf(error, error_size, "%s: no profile of %s %d in it ('pcomp info %s' lists what there is)", d->path,
                 b->options->process ? "process" : "rank", b->options->process ? b->options->process : b->options->rank,
                 d->path);
    else if (b->tree->warning_count)
        snprintf(error, error_size, "%s: no profile to read: %s", d->path, b->tree->warnings[0]);
    else
        snprintf(error, error_size, "%s: no profile to read: its process is just starting (try again)", d->path);
    return false;
}

static struct call_tree *finish(struct loaded_tree *loaded, struct tree_builder *b, bool ok, uint32_t clock,
                                char *error, size_t error_size)
{
    struct call_tree *tree = &loaded->tree;
    if (ok && b->options->thread && !tree->thread_count) {
        snprintf(error, error_size, "no thread %d in the profile (leave out --thread)", b->options->thread);
        ok = false;
    }
    if (ok && !tree_finish(b)) {
        snprintf(error, error_size, "out of memory (choose one process with --process)");
        ok = false;
    }
    if (ok) {
        tree->clock = clock_name(clock);
        tree_finish_warnings(b);
    }
    scope_symbols_free(b->open);
    tree_builder_free(b);
    if (ok)
        return tree;
    advise_salvage(b->options, error, error_size);
    call_tree_free(tree);
    return NULL;
}

struct call_tree *call_tree_load(const char *dir, const struct call_tree_options *options, char *error,
                                 size_t error_size)
{
    struct loaded_tree *loaded = calloc(1, sizeof *loaded);
    struct data_directory d;
    struct tree_builder b;
    uint32_t clock = 0;
    if (!loaded) {
        snprintf(error, error_size, "%s: out of memory", dir);
        return NULL;
    }
    if (!data_directory_open(dir, true, &d, error, error_size)) {
        free(loaded);
        return NULL;
    }
    bool ok = tree_builder_init(&b, &loaded->tree, &loaded->texts, options);
    if (!ok)
        snprintf(error, error_size, "%s: out of memory", dir);
    for (size_t i = 0; ok && i < d.warning_count; i++)
        tree_warn(&b, "%s", d.warnings[i]);
    ok = ok && merge_directory(&b, &d, &clock, error, error_size);
    data_directory_close(&d);
    return finish(loaded, &b, ok, clock, error, error_size);
}

struct call_tree *call_tree_from_memory(const void *data, size_t size, const struct call_tree_options *options,
                                        char *error, size_t error_size)
{
    struct loaded_tree *loaded = calloc(1, sizeof *loaded);
    struct tree_builder b;
    if (!loaded) {
        snprintf(error, error_size, "out of memory");
        return NULL;
    }
    bool ok = tree_builder_init(&b, &loaded->tree, &loaded->texts, options);
    b.without_symbols = true;
    uint32_t clock = 0;
    struct profile_file *profile =
        ok ? profile_file_from_memory("(memory)", data, size, options->salvage, error, error_size) : NULL;
    if (!ok)
        snprintf(error, error_size, "out of memory");
    ok = profile && merge_profile(&b, profile, false, error, error_size);
    if (ok)
        clock = profile->header.clock;
    profile_file_close(profile);
    return finish(loaded, &b, ok, clock, error, error_size);
}

void call_tree_free(struct call_tree *tree)
{
    if (!tree)
        return;
    if (tree->counter_count && tree->function_count)
        free(tree->functions[0].counters); /* one block for all; the same for the nodes */
    if (tree->counter_count && tree->node_count)
        free(tree->nodes[0].counters);
    for (size_t i = 0; i < tree->node_count; i++)
        time_spread_free(&tree->nodes[i].spread);
    for (size_t i = 0; i < tree->function_count; i++)
        time_spread_free(&tree->functions[i].spread);
    free(tree->longest);
    free(tree->nodes);
    free(tree->owners);
    free(tree->functions);
    free(tree->threads);
    free(tree->processes);
    free(tree->costs);
    free(tree->counter_names);
    for (size_t i = 0; i < tree->warning_count; i++)
        free(tree->warnings[i]);
    free(tree->warnings);
    struct loaded_tree *loaded = (struct loaded_tree *)tree;
    text_pool_free(&loaded->texts);
    free(loaded);
}

static const char *file_name(const struct tree_function *function)
{
    return function->file ? text_basename(function->file) : "";
}

int call_tree_match(const struct tree_function *f, const struct tree_function *g)
{
    int by_name = strcmp(f->linkage_name, g->linkage_name);
    return by_name ? by_name : strcmp(file_name(f), file_name(g));
}
