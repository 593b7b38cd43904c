/* The call paths of a location, from its events. */
#include "reporters/replay/drive/path_tree.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENTS_MAX = 20000, FUNCTIONS = 5 };

static struct pcomp_event measured[EVENTS_MAX], approximated[EVENTS_MAX];
static size_t count;

static void event(enum pcomp_event_kind kind, uint64_t value, uint64_t m, uint64_t a)
{
    measured[count] = (struct pcomp_event){m, (uint64_t)kind << 56 | value};
    approximated[count++] = (struct pcomp_event){a, (uint64_t)kind << 56 | value};
}

static void enter(uint64_t function, uint64_t m, uint64_t a)
{
    event(PCOMP_EVENT_ENTER, function, m, a);
}

static void leave(uint64_t function, uint64_t m, uint64_t a)
{
    event(PCOMP_EVENT_EXIT, function, m, a);
}

static struct path_tree follow(const struct replay_wait *waits, size_t wait_count)
{
    struct path_tree tree;
    cr_assert(path_tree_init(&tree));
    cr_assert(path_tree_follow(&tree, measured, approximated, count * sizeof *measured, waits, wait_count));
    path_tree_end(&tree);
    return tree;
}

/* The node of a path, whose functions a 0 ends. */
static const struct path_node *node_at(const struct path_tree *tree, const uint64_t *path)
{
    uint32_t at = PATH_ROOT;
    for (; *path; path++) {
        uint32_t child = PATH_NONE;
        for (uint32_t i = PATH_BEYOND + 1; i < tree->node_count; i++)
            if (tree->nodes[i].parent == at && tree->nodes[i].function == *path)
                child = i;
        cr_assert_neq(child, PATH_NONE, "no node of function %" PRIu64, *path);
        at = child;
    }
    return &tree->nodes[at];
}
#define NODE(tree, ...) node_at(tree, (const uint64_t[]){__VA_ARGS__, 0})

static void cr_node(const struct path_node *node, uint64_t calls, uint64_t m, int64_t a, int64_t min, int64_t max)
{
    cr_expect_eq(node->calls, calls);
    cr_expect_eq(node->measured, m);
    cr_expect_eq(node->approximated, a);
    cr_expect_eq(node->min, min);
    cr_expect_eq(node->max, max);
}

Test(path_tree, calls_that_were_not_recorded_are_of_functions_not_of_paths)
{
    for (int i = 0; i < 3; i++) {
        enter(1, 100 + 10u * (unsigned)i, 50);
        event(PCOMP_EVENT_SUPPRESSED, i == 1 ? 8 : 7, 104 + 10u * (unsigned)i, 50);
        measured[count] = approximated[count] = (struct pcomp_event){5, 1}; /* its a and b */
        count++;
        leave(1, 108 + 10u * (unsigned)i, 50);
    }
    struct path_tree tree = follow(NULL, 0);
    cr_expect_eq(tree.node_count, 2 + 1);
    cr_node(NODE(&tree, 1), 3, 24, 0, 0, 0);
    cr_assert_eq(tree.suppressed_count, 2);
    cr_expect(tree.suppressed[0].function == 7 && tree.suppressed[0].calls == 10);
    cr_expect(tree.suppressed[1].function == 8 && tree.suppressed[1].calls == 5);
    cr_expect_eq(tree.event, 9);
    path_tree_free(&tree);
}

Test(path_tree, two_paths_to_one_function)
{
    enter(1, 100, 50);
    enter(3, 110, 55);
    leave(3, 130, 60);
    enter(2, 140, 62);
    enter(3, 150, 64);
    leave(3, 190, 74);
    leave(2, 200, 76);
    enter(3, 210, 80);
    leave(3, 215, 83);
    leave(1, 300, 90);
    struct path_tree tree = follow(NULL, 0);
    cr_expect_eq(tree.node_count, 2 + 4);
    cr_node(NODE(&tree, 1), 1, 200, 40, 40, 40);
    cr_node(NODE(&tree, 1, 3), 2, 25, 8, 3, 5);
    cr_node(NODE(&tree, 1, 2), 1, 60, 14, 14, 14);
    cr_node(NODE(&tree, 1, 2, 3), 1, 40, 10, 10, 10);
    path_tree_free(&tree);
}

Test(path_tree, flushes_are_no_time)
{
    enter(1, 100, 50);
    event(PCOMP_EVENT_FLUSH_BEGIN, 0, 110, 60);
    event(PCOMP_EVENT_FLUSH_END, 0, 610, 60);
    leave(1, 620, 70);
    enter(1, 630, 75);
    leave(1, 640, 80);
    struct path_tree tree = follow(NULL, 0);
    cr_node(NODE(&tree, 1), 2, 30, 25, 5, 20);
    path_tree_free(&tree);
}

Test(path_tree, exits_are_missing_or_too_many)
{
    leave(9, 10, 10); /* entered before the first record */
    enter(1, 100, 50);
    enter(2, 110, 55);
    enter(3, 120, 56);
    leave(2, 130, 60); /* 3 has no exit */
    enter(2, 140, 70);
    enter(2, 150, 75);
    event(PCOMP_EVENT_UNWIND, 2, 160, 80);
    enter(4, 170, 85); /* open at the end */
    event(PCOMP_EVENT_PAUSE, 0, 200, 90);
    struct path_tree tree = follow(NULL, 0);
    cr_expect_eq(tree.stack.unmatched, 1);
    cr_expect_eq(tree.stack.without_exit, 1);
    cr_expect_eq(tree.unwound, 2);
    cr_node(NODE(&tree, 1), 1, 100, 40, 40, 40);
    cr_node(NODE(&tree, 1, 2), 2, 40, 15, 5, 10);
    cr_node(NODE(&tree, 1, 2, 3), 1, 10, 4, 4, 4);
    cr_node(NODE(&tree, 1, 2, 2), 1, 10, 5, 5, 5);
    cr_node(NODE(&tree, 1, 4), 1, 30, 5, 5, 5);
    path_tree_free(&tree);
}

Test(path_tree, waits_belong_to_the_path)
{
    enter(1, 100, 100);
    event(PCOMP_EVENT_BARRIER_EXIT, 8, 110, 110);
    enter(2, 120, 120);
    event(PCOMP_EVENT_BARRIER_EXIT, 8, 130, 130);
    event(PCOMP_EVENT_LOCK_ACQUIRED, 8, 140, 140);
    event(PCOMP_EVENT_BARRIER_EXIT, 8, 150, 150);
    leave(2, 160, 160);
    leave(1, 170, 170);
    const struct replay_wait waits[] = {
        {.kind = REPLAY_WAIT_BARRIER, .event = 1, .measured = 1, .approximated = 2},
        {.kind = REPLAY_WAIT_BARRIER, .event = 3, .measured = 10, .approximated = 20},
        {.kind = REPLAY_WAIT_LOCK, .event = 4, .measured = 100, .approximated = 0},
        {.kind = REPLAY_WAIT_BARRIER, .event = 5, .measured = 5, .approximated = 6},
    };
    struct path_tree tree = follow(waits, 4);
    cr_assert_eq(tree.wait_count, 3);
    static const struct {
        uint64_t function, count;
        enum replay_wait_kind kind;
        int64_t measured, approximated;
    } expected[] = {
        {1, 1, REPLAY_WAIT_BARRIER, 1, 2}, {2, 2, REPLAY_WAIT_BARRIER, 15, 26}, {2, 1, REPLAY_WAIT_LOCK, 100, 0}};
    for (int i = 0; i < 3; i++) {
        const struct path_wait *wait = &tree.waits[i];
        cr_expect_eq(tree.nodes[wait->node].function, expected[i].function);
        cr_expect_eq(wait->kind, expected[i].kind);
        cr_expect_eq(wait->count, expected[i].count);
        cr_expect_eq(wait->measured, expected[i].measured);
        cr_expect_eq(wait->approximated, expected[i].approximated);
    }
    path_tree_free(&tree);
}

/* Random programs: what a tree says is what a walk over the events finds out the slow way, in blocks of any size. */
static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % bound;
}

static void random_program(void)
{
    uint64_t stack[64], m = 1000, a = 1000;
    size_t depth = 0;
    count = 0;
    while (count < EVENTS_MAX - 70) {
        m += 1 + random_below(50);
        a += random_below(40);
        if (depth < 60 && random_below(depth + 6) < 4) {
            stack[depth++] = 1 + random_below(FUNCTIONS);
            enter(stack[depth - 1], m, a);
        } else if (depth) {
            leave(stack[--depth], m, a);
        }
    }
    while (depth)
        leave(stack[--depth], ++m, ++a);
}

/* Sums over the functions of the tree, and of the events. */
struct sums {
    uint64_t calls[FUNCTIONS + 1], measured[FUNCTIONS + 1];
    int64_t approximated[FUNCTIONS + 1];
};

static struct sums sums_of_tree(const struct path_tree *tree)
{
    struct sums s = {0};
    for (uint32_t i = PATH_BEYOND + 1; i < tree->node_count; i++) {
        const struct path_node *n = &tree->nodes[i];
        s.calls[n->function] += n->calls;
        s.measured[n->function] += n->measured;
        s.approximated[n->function] += n->approximated;
    }
    return s;
}

static struct sums sums_of_events(void)
{
    struct sums s = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t f = pcomp_event_value(&measured[i]),
                 sign = pcomp_event_kind(&measured[i]) == PCOMP_EVENT_EXIT ? 1 : -1ull;
        s.calls[f] += sign == 1;
        s.measured[f] += sign * measured[i].time;
        s.approximated[f] += (int64_t)(sign * approximated[i].time);
    }
    return s;
}

Test(path_tree, random_programs)
{
    uint64_t seed = (uint64_t)time(NULL);
    random_state = seed;
    for (int round = 0; round < 20; round++) {
        random_program();
        struct path_tree tree;
        cr_assert(path_tree_init(&tree));
        for (size_t at = 0, n; at < count; at += n) {
            n = 1 + random_below(500);
            n = n < count - at ? n : count - at;
            cr_assert(path_tree_follow(&tree, measured + at, approximated + at, n * sizeof *measured, NULL, 0));
        }
        path_tree_end(&tree);
        struct sums expected = sums_of_events(), found = sums_of_tree(&tree);
        cr_assert_eq(memcmp(&expected, &found, sizeof expected), 0, "seed %" PRIu64 ", round %d", seed, round);
        cr_assert_eq(tree.event, count);
        for (uint32_t i = PATH_BEYOND + 1; i < tree.node_count; i++) /* each path has one node */
            for (uint32_t k = i + 1; k < tree.node_count && tree.node_count < 2000; k++)
                cr_assert(tree.nodes[i].parent != tree.nodes[k].parent ||
                              tree.nodes[i].function != tree.nodes[k].function,
                          "seed %" PRIu64, seed);
        path_tree_free(&tree);
    }
}
