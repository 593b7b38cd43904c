/* The readers under damage: whatever the bytes, the whole way from file to call tree either gives a sound tree or one
 * line of error. Entry of libFuzzer (target fuzz_profile_file) and of fuzz_regression. */
#include "reporters/profile/open_activations.h"
#include "reporters/tree/call_tree.h"
#include "tests/fuzz/fuzz_seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_profile_file: %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                 \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static void check_tree(const struct call_tree *tree)
{
    REQUIRE(tree->node_count && tree->function_count && tree->nodes[0].parent == UINT32_MAX);
    size_t visited = 0;
    for (uint32_t at = 0; at != UINT32_MAX; visited++) {
        const struct tree_node *n = &tree->nodes[at];
        REQUIRE(at < tree->node_count && n->function < tree->function_count && visited < tree->node_count);
        REQUIRE(n->first_child == UINT32_MAX || tree->nodes[n->first_child].parent == at);
        if (n->first_child != UINT32_MAX) {
            at = n->first_child;
            continue;
        }
        while (at && tree->nodes[at].next_sibling == UINT32_MAX)
            at = tree->nodes[at].parent;
        at = at ? tree->nodes[at].next_sibling : UINT32_MAX;
    }
    REQUIRE(visited == tree->node_count);
    for (size_t f = 0; f < tree->function_count; f++) {
        REQUIRE(tree->functions[f].name && tree->functions[f].linkage_name);
        if (tree->counting.any)
            continue; /* functions that were counted have none */
        REQUIRE(!isnan(tree->functions[f].inclusive.raw) && !isnan(tree->functions[f].inclusive.compensated));
        REQUIRE(!isnan(tree->functions[f].exclusive.raw) && !isnan(tree->functions[f].exclusive.uncertainty));
        REQUIRE(!f || strcmp(tree->functions[f - 1].name, tree->functions[f].name) <= 0 || f == 1);
    }
    for (size_t t = 0; t < tree->thread_count; t++)
        REQUIRE(memchr(tree->threads[t].name, 0, sizeof tree->threads[t].name));
    for (size_t c = 0; c < tree->counter_count; c++)
        REQUIRE(tree->counter_names[c]);
}

static void load(const void *data, size_t size, int model, bool salvage)
{
    char error[512] = "";
    struct call_tree_options options = {.rank = -1, .model = model, .salvage = salvage, .want_costs = true};
    struct call_tree *tree = call_tree_from_memory(data, size, &options, error, sizeof error);
    REQUIRE(memchr(error, 0, sizeof error));
    if (tree)
        check_tree(tree);
    else
        REQUIRE(*error && !strchr(error, '\n'));
    call_tree_free(tree);
}

/* As the file of a running process, which is copied first. */
static void open_live(const void *data, size_t size, bool salvage)
{
    char path[64], error[512] = "";
    int fd = memfd_create("profile", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct profile_file *file = profile_file_open(path, PROFILE_LIVE, salvage, error, sizeof error);
    struct open_activations open = {0};
    if (file)
        REQUIRE(open_activations_find(file, true, &open));
    else
        REQUIRE(*error);
    for (size_t i = 0; i < open.count; i++)
        REQUIRE(open.items[i].node < file->node_count && open.items[i].thread < file->thread_count);
    open_activations_free(&open);
    profile_file_close(file);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* exact size, so that the sanitizer sees the first byte too far */
    void *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    int model = size > 9 ? data[9] % 4 - 1 : -1; /* the version's second byte is as good as any */
    load(copy, size, -1, false);
    load(copy, size, model, true);
    if (size > 10 && data[10] % 4 == 0)
        open_live(copy, size, data[10] % 8 == 0);
    free(copy);
    return 0;
}

/* Most of a profile is words of 8 bytes, of which few matter: change those that are in use, to values that matter. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
#define NEXT (state = state * 6364136223846793005u + 1442695040888963407u, (uint32_t)(state >> 33))
    if (size < 4096 || NEXT % 8 == 0) {
        size_t changed = LLVMFuzzerMutate(data, size, max);
        return changed;
    }
    for (unsigned changes = 1 + NEXT % 3; changes; changes--) {
        size_t words = size / 4, at = NEXT % words;
        uint32_t value;
        for (size_t i = 0; i < words; i++, at = (at + 1) % words) { /* the next word in use */
            memcpy(&value, data + at * 4, 4);
            if (value || NEXT % 512 == 0)
                break;
        }
        size_t other = NEXT % words;
        uint32_t borrowed, small = NEXT % 64;
        memcpy(&borrowed, data + other * 4, 4);
        const uint32_t choices[] = {0,          1,
                                    value + 1,  value - 1,
                                    small,      UINT32_MAX,
                                    borrowed,   value * 2,
                                    value / 2,  value ^ 1u << small % 32,
                                    value + 64, value + 4096 * small,
                                    NEXT};
        value = choices[NEXT % (sizeof choices / sizeof *choices)];
        memcpy(data + at * 4, &value, 4);
    }
    if (NEXT % 16 == 0) /* a truncated file */
        size = NEXT % 2 ? size / 4096 * 4096 : size - NEXT % size;
    return size ? size : 1;
}
