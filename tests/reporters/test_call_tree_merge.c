/* Data directories of several processes: what is joined, what is filtered, which is the main one. */
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], error[1024];
static struct call_tree_options options;
static struct call_tree *tree;

static void make_dir(void)
{
    strcpy(dir, "/tmp/pcomp-test-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    options = (struct call_tree_options){.rank = -1, .model = -1};
}

static void remove_dir(void)
{
    char command[128];
    call_tree_free(tree);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}

TestSuite(merge, .init = make_dir, .fini = remove_dir);

struct process {
    int pid, rank;
    uint64_t bias, start_ns, forked_from;
    double ticks_a_ns;
    uint64_t calls, raw; /* of main; a thread has twice the calls and half the time */
    uint64_t workers;    /* that had the thread's record one after the other; 0: one */
};

static void write_process(const struct process *p, const char *name)
{
    struct profile_writer w;
    char path[128];
    profile_writer_init(&w, 0, 0);
    struct pcomp_header *h = profile_writer_header(&w);
    h->pid = p->pid;
    h->rank = p->rank;
    h->real0_ns = p->start_ns;
    h->forked_from = p->forked_from;
    h->tick_hz = 1e9 * p->ticks_a_ns;
    h->tick1 = h->tick0 + (uint64_t)(1e9 * p->ticks_a_ns);
    h->end_tick = h->tick1;
    uint32_t module = profile_writer_module(&w, "/no/such/prog", p->bias, 0x10000);
    uint32_t main = profile_writer_function(&w, module, p->bias + 0x10, NULL);
    uint32_t work = profile_writer_function(&w, module, p->bias + 0x20, NULL);
    profile_writer_thread(&w, p->pid, "main", PCOMP_THREAD_MAIN);
    uint32_t thread = profile_writer_thread(&w, p->pid + 1, "worker", 0);
    uint64_t node = profile_writer_node(
        &w, 0, w.root[0], main,
        (struct writer_counts){.calls = p->calls, .raw = p->raw, .compensated = (int64_t)p->raw << 10});
    profile_writer_node(
        &w, thread, w.root[thread], work,
        (struct writer_counts){.calls = 2 * p->calls, .raw = p->raw / 2, .compensated = (int64_t)p->raw << 9});
    struct pcomp_thread *record = profile_writer_at(&w, w.record[thread]);
    record->creator_link = node;
    record->threads = p->workers;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert(profile_writer_save(&w, path));
    profile_writer_free(&w);
}

static void load(void)
{
    call_tree_free(tree);
    tree = call_tree_load(dir, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
}

static void refuse(const char *text)
{
    call_tree_free(tree);
    tree = call_tree_load(dir, &options, error, sizeof error);
    cr_assert_null(tree);
    cr_assert_not_null(strstr(error, text), "expected \"%s\" in \"%s\"", text, error);
}

static bool warned(const char *text)
{
    for (size_t i = 0; i < tree->warning_count; i++)
        if (strstr(tree->warnings[i], text))
            return true;
    return false;
}

static const struct process first = {11, -1, 0x400000, 1000, 0, 1, 10, 1000, 0};
static const struct process later = {12, -1, 0x700000, 2000, 0, 2, 30, 1000, 0};

Test(merge, joins_functions_of_processes_loaded_elsewhere_with_other_clocks)
{
    write_process(&first, "11-0.pcomp");
    write_process(&later, "12-0.pcomp");
    load();
    cr_assert_eq(tree->node_count, 4); /* root, [beyond limit], main, work */
    const struct tree_function *main = &tree->functions[2], *work = &tree->functions[3];
    cr_assert_str_eq(main->name, "prog+0x10");
    cr_assert_eq(main->calls, 40);
    cr_assert_float_eq(main->inclusive.raw, 1000 + 500, 1e-6);
    cr_assert_eq(work->calls, 80);
    cr_assert_float_eq(work->inclusive.compensated, 500 + 250, 1e-6);
    cr_assert(warned("/no/such/prog: cannot be read: No such file or directory: its functions are shown as"));
}

Test(merge, total_is_that_of_the_main_thread_of_the_process_that_began_first)
{
    write_process(&first, "11-0.pcomp");
    write_process(&later, "12-0.pcomp");
    load();
    cr_assert_eq(tree->process_count, 2);
    cr_assert(tree->processes[0].main);
    cr_assert_eq(tree->total.calls, 10);
    cr_assert_float_eq(tree->total.raw, 1000, 1e-6);
    cr_assert_float_eq(tree->total_all_threads.raw, 2250, 1e-6);
    cr_assert_eq(tree->total_all_threads.calls, 120);
}

Test(merge, rank_0_or_else_one_that_was_not_forked_is_the_main_process)
{
    struct process child = first, parent = later, rank = later;
    child.forked_from = 12;
    write_process(&child, "11-0.pcomp");
    write_process(&parent, "12-0.pcomp");
    load();
    cr_assert_eq(tree->total.calls, 30);
    rank.pid = 13, rank.rank = 0, rank.start_ns = 9000, rank.calls = 7;
    write_process(&rank, "13-0.pcomp");
    load();
    cr_assert_eq(tree->total.calls, 7);
}

Test(merge, lets_one_process_rank_or_thread_pass)
{
    struct process other = later;
    other.rank = 5;
    write_process(&first, "11-0.pcomp");
    write_process(&other, "12-0.pcomp");
    options.process = 11;
    load();
    cr_assert_eq(tree->total_all_threads.calls, 30);
    options.process = 0, options.rank = 5;
    load();
    cr_assert_eq(tree->total_all_threads.calls, 90);
    options.rank = -1, options.thread = 12; /* the worker of 11, and main of 12 */
    load();
    cr_assert_eq(tree->thread_count, 2);
    cr_assert_eq(tree->total_all_threads.calls, 20 + 30);
    options.thread = 99;
    refuse("no thread 99");
    options.thread = 0, options.process = 99;
    refuse("no profile of process 99");
    options.process = 0, options.rank = 9;
    refuse("no profile of rank 9");
}

Test(merge, tells_where_threads_were_created)
{
    write_process(&first, "11-0.pcomp");
    load();
    cr_assert_null(tree->threads[0].creator);
    cr_assert_str_eq(tree->threads[1].creator, "prog+0x10");
    cr_assert_str_eq(tree->threads[1].name, "worker");
}

Test(merge, reads_one_file_as_a_directory_of_one)
{
    write_process(&first, "11-0.pcomp");
    snprintf(dir + strlen(dir), sizeof dir - strlen(dir), "/11-0.pcomp");
    load();
    cr_assert_eq(tree->total.calls, 10);
    *strrchr(dir, '/') = 0;
}

Test(merge, names_the_file_and_offset_of_damage_and_salvages_the_others)
{
    char path[128];
    write_process(&first, "11-0.pcomp");
    write_process(&later, "12-0.pcomp");
    snprintf(path, sizeof path, "%s/12-0.pcomp", dir);
    cr_assert_eq(truncate(path, 5000), 0);
    refuse("/12-0.pcomp: offset 0x1388: expected ");
    refuse("(--salvage reads what is whole)");
    options.salvage = true;
    load();
    cr_assert_eq(tree->total.calls, 10);
    cr_assert(warned("12-0.pcomp: damaged: offset 0x1388"));
    cr_assert_eq(truncate(path, 0), 0);
    load();
    cr_assert(warned("found an empty file; left out"));
    options.salvage = false;
    refuse("offset 0x0: expected a profile, found an empty file");
}

Test(merge, counts_the_threads_that_shared_a_record)
{
    struct process shared = first;
    shared.workers = 5;
    write_process(&shared, "11-0.pcomp");
    write_process(&later, "12-0.pcomp");
    load();
    cr_assert_eq(tree->thread_count, 4);
    cr_assert_eq(tree->threads_begun, 1 + 5 + 1 + 1);
    cr_assert_eq(tree->threads[0].threads, 1);
    cr_assert_eq(tree->threads[1].threads, 5);
}

/* Its flags are there, the sizes that go with them are not yet. */
Test(merge, names_a_process_that_was_killed_before_its_start_was_over)
{
    struct profile_writer w;
    char path[128];
    write_process(&first, "11-0.pcomp");
    profile_writer_init(&w, 0, 0);
    profile_writer_finish(&w);
    struct pcomp_header *h = profile_writer_header(&w);
    h->pid = 99999999; /* none is greater than 4194304 */
    h->flags = PCOMP_FLAG_COUNTS;
    h->state = PCOMP_STATE_LIVE;
    snprintf(path, sizeof path, "%s/99999999-0.pcomp", dir);
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(w.data, 1, w.size, f) == w.size && fclose(f) == 0);
    profile_writer_free(&w);
    load();
    cr_assert_eq(tree->process_count, 1);
    cr_assert_eq(tree->total.calls, 10);
    cr_assert(warned("process 99999999 was killed before it measured anything"));
}

Test(merge, refuses_what_is_no_data_directory)
{
    refuse("not a data directory");
    char path[128];
    snprintf(path, sizeof path, "%s/run", dir);
    FILE *f = fopen(path, "w");
    fputs("pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n", f);
    fclose(f);
    refuse("no instrumented function ran");
    cr_assert_null(call_tree_load("/no/such/directory", &options, error, sizeof error));
    cr_assert_not_null(strstr(error, "/no/such/directory: not found (record a program first"), "%s", error);
}
