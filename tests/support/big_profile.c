/* big_profile BINARY DIR NODES: a data directory whose one profile has NODES call paths over the functions of BINARY,
 * as a long run of a large program would leave it. For measuring the readers. */
#include "reporters/symbols/symbols.h"
#include "tests/support/profile_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BIAS 0x555555554000u

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % n;
}

/* What the reader checks the module by, where there is no build-id. */
static void describe_file(struct profile_writer *w, uint32_t module, const char *path)
{
    struct pcomp_chunk *chunk = (struct pcomp_chunk *)(w->data + w->module_chunk);
    struct pcomp_module *m = (struct pcomp_module *)(chunk + 1) + module;
    struct stat st;
    if (stat(path, &st))
        return;
    m->file_size = (uint64_t)st.st_size;
    m->file_mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static void set_deltas(struct pcomp_header *h)
{
    for (int v = 0; v < PCOMP_VARIANTS; v++)
        h->delta_start[v] = (struct pcomp_delta){.own = 9 << 10,
                                                 .descendant = 20 << 10,
                                                 .own_spread = 100,
                                                 .descendant_spread = 200,
                                                 .repetitions = 20,
                                                 .batch = 1000};
}

/* Every node costs its ancestors, so times are summed from the leaves. */
static void write_nodes(struct profile_writer *w, const uint32_t *ids, size_t functions, size_t count)
{
    uint32_t thread = profile_writer_thread(w, 4242, "big", PCOMP_THREAD_MAIN);
    uint64_t *links = malloc(count * sizeof *links);
    uint32_t *parents = malloc(count * sizeof *parents);
    if (!links || !parents)
        abort();
    links[0] = profile_writer_node(w, thread, w->root[thread], ids[0], (struct writer_counts){.calls = 1});
    for (size_t i = 1; i < count; i++) {
        /* mostly below recent nodes, so that the tree is deep in places; a key occurs once below a parent */
        size_t reach = random_below(4) ? 64 : 4096, back = 1 + random_below(reach < i ? reach : i);
        parents[i] = (uint32_t)(i - back);
        uint64_t calls = 1 + random_below(1000);
        links[i] = profile_writer_node(w, thread, links[parents[i]], ids[(i * 7919) % functions],
                                       (struct writer_counts){.calls = calls, .lookups = 1, .raw = calls * 40});
    }
    for (size_t i = count; i-- > 1;) {
        struct pcomp_node *node = profile_writer_at(w, links[i]), *parent = profile_writer_at(w, links[parents[i]]);
        parent->raw += node->raw + 30;
        node->compensated = (int64_t)(node->raw << 10) * 3 / 4;
    }
    struct pcomp_node *main = profile_writer_at(w, links[0]);
    main->compensated = (int64_t)(main->raw << 10) * 3 / 4;
    free(links);
    free(parents);
}

int main(int argc, char **argv)
{
    size_t count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (!count || count > 50000000) {
        fprintf(stderr, "usage: big_profile BINARY DIR NODES\n");
        return 2;
    }
    char problem[512], path[4096], *binary = realpath(argv[1], NULL);
    struct symbol_source source = {.path = binary ? binary : argv[1]};
    struct symbols *symbols = symbols_open(&source, problem, sizeof problem);
    if (!symbols || !symbols_count(symbols)) {
        fprintf(stderr, "big_profile: %s\n", problem);
        return 1;
    }
    struct profile_writer w;
    profile_writer_init(&w, 0, 0);
    w.node_capacity = 65536;
    w.table_capacity = 1024;
    set_deltas(profile_writer_header(&w));
    uint32_t module = profile_writer_module(&w, source.path, BIAS, 1 << 30);
    describe_file(&w, module, source.path);
    size_t functions = symbols_count(symbols);
    uint32_t *ids = malloc(functions * sizeof *ids);
    if (!ids)
        return 1;
    for (size_t i = 0; i < functions; i++) {
        const char *name;
        ids[i] = profile_writer_function(&w, module, BIAS + symbols_entry(symbols, i, &name), NULL);
    }
    write_nodes(&w, ids, functions, count);
    snprintf(path, sizeof path, "%s/4242-0.pcomp", argv[2]);
    if ((mkdir(argv[2], 0777) && errno != EEXIST) || !profile_writer_save(&w, path)) {
        perror(path);
        return 1;
    }
    free(ids);
    free(binary);
    symbols_close(symbols);
    profile_writer_free(&w);
    return 0;
}
