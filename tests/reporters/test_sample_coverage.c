/* Whether samples tell of the processor time that threads had. */
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CODE = 0x1000 };

static struct profile_writer w;

static void init(void)
{
    profile_writer_init(&w, PCOMP_FLAG_COUNTS, 0);
    profile_writer_function(&w, UINT32_MAX, CODE, "work");
}

static void fini(void)
{
    profile_writer_free(&w);
}

TestSuite(sample_coverage, .init = init, .fini = fini);

/* `sampled` of `ran` ms of its processor time; a sample stands for 1 ms. */
static void add_thread(uint32_t ran, uint32_t sampled)
{
    const struct pcomp_stack_frame frame = {.pc = CODE + 2, .hits = sampled, .weight = sampled};
    uint32_t thread = profile_writer_thread(&w, 1 + (int)w.threads, "thread", w.threads ? 0 : PCOMP_THREAD_MAIN);
    struct pcomp_thread *t = profile_writer_at(&w, w.record[thread]);
    t->cpu0_ns = 1000000;
    t->cpu1_ns = t->cpu0_ns + ran * 1000000;
    if (sampled)
        profile_writer_stacks(&w, thread, &frame, 1);
}

/* Beside a long thread with its samples. */
static void add_brief_threads(uint32_t ran, uint32_t one_sampled, uint32_t other_sampled)
{
    add_thread(1000, 990);
    add_thread(ran, one_sampled);
    add_thread(ran, other_sampled);
}

static bool warns(const char *text)
{
    struct call_tree_options options = {.rank = -1, .model = -1};
    char error[512];
    bool found = false;
    profile_writer_finish(&w);
    struct call_tree *tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
    for (size_t i = 0; i < tree->warning_count; i++)
        found |= strstr(tree->warnings[i], text) != NULL;
    call_tree_free(tree);
    return found;
}

Test(sample_coverage, of_a_long_thread_with_too_few_is_said)
{
    add_thread(1000, 700);
    cr_assert(warns("thread 1 (thread): samples tell of 70 % of its processor time alone"));
}

Test(sample_coverage, of_a_long_thread_with_its_samples_is_not)
{
    add_thread(1000, 900);
    cr_assert_not(warns("samples tell of"));
}

Test(sample_coverage, of_threads_too_brief_for_samples_is_said_of_all)
{
    add_brief_threads(150, 0, 30);
    cr_assert(warns("2 threads ran for less than 0.2 s each: samples tell of 10 % of their processor time alone"));
}

Test(sample_coverage, of_brief_threads_with_their_samples_is_not)
{
    add_brief_threads(150, 140, 120);
    cr_assert_not(warns("samples tell of"));
}

Test(sample_coverage, of_little_time_in_all_is_not)
{
    add_brief_threads(50, 0, 0);
    cr_assert_not(warns("samples tell of"));
}
