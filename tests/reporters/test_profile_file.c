/* What a profile file may be, and what is said about one that is not. */
#include "reporters/profile/profile_file.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct profile_writer w;
static uint64_t main_node;
static char error[512];

static void write_small(void)
{
    profile_writer_init(&w, 0, 0);
    uint32_t module = profile_writer_module(&w, "/bin/prog", 0x400000, 0x10000);
    uint32_t function = profile_writer_function(&w, module, 0x401000, NULL);
    uint32_t thread = profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
    main_node = profile_writer_node(&w, thread, w.root[0], function, (struct writer_counts){.calls = 1, .raw = 100});
    struct pcomp_frame frames[2] = {{.node = w.root[0], .start = 1000}, {.node = main_node, .start = 2000}};
    profile_writer_stack(&w, thread, 0, 1, frames, 2);
    profile_writer_finish(&w);
}

static void drop(void)
{
    profile_writer_free(&w);
}

TestSuite(profile_file, .init = write_small, .fini = drop);

static struct profile_file *read_it(bool salvage)
{
    *error = 0;
    return profile_file_from_memory("FILE", w.data, w.size, salvage, error, sizeof error);
}

static void assert_refused(const char *text)
{
    cr_assert_null(read_it(false));
    cr_assert_not_null(strstr(error, text), "expected \"%s\" in \"%s\"", text, error);
    cr_assert_eq(strncmp(error, "FILE: offset 0x", 15), 0, "%s", error);
}

static size_t offset_of(uint32_t kind)
{
    for (size_t at = sizeof(struct pcomp_header); at < w.size;) {
        const struct pcomp_chunk *chunk = (const struct pcomp_chunk *)(w.data + at);
        if (chunk->kind == kind)
            return at;
        at += chunk->size;
    }
    cr_assert(false, "no chunk of kind %u", kind);
    return 0;
}

static struct pcomp_chunk *chunk_of(uint32_t kind)
{
    return (struct pcomp_chunk *)(w.data + offset_of(kind));
}

Test(profile_file, gives_what_was_written)
{
    struct profile_file *file = read_it(false);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->node_count, 3);
    cr_assert_eq(file->function_count, 3);
    cr_assert_eq(file->functions[2]->address, 0x401000);
    cr_assert_str_eq(profile_text(file, file->modules[0]->path_link), "/bin/prog");
    cr_assert_eq(file->thread_count, 1);
    cr_assert_eq(file->threads[0].record->tid, 4242);
    cr_assert_eq(file->stack_count, 1);
    cr_assert_eq(profile_frame(file, &file->stacks[0], 1)->node, main_node);
    uint32_t index = profile_node_index(file, main_node);
    cr_assert_eq(index, 2);
    const struct profile_chunk *chunk = profile_node_chunk(file, index);
    cr_assert_eq(profile_node(file, chunk, index - chunk->first_record)->raw, 100);
    cr_assert_eq(profile_node_extra(file, chunk, index - chunk->first_record)->function_id, 2);
    cr_assert_null(file->damage);
    profile_file_close(file);
}

Test(profile_file, follows_no_link_that_leads_elsewhere)
{
    struct profile_file *file = read_it(false);
    const uint64_t bad[] = {0, 8, WRITER_BASE, main_node + 8, main_node + 64, WRITER_BASE + w.size, UINT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(profile_node_index(file, bad[i]), PROFILE_NONE, "0x%llx", (unsigned long long)bad[i]);
        cr_assert_null(profile_text(file, bad[i]), "0x%llx", (unsigned long long)bad[i]);
    }
    profile_file_close(file);
}

Test(profile_file, refuses_an_empty_file)
{
    w.size = 0;
    assert_refused("offset 0x0: expected a profile, found an empty file");
}

Test(profile_file, refuses_a_foreign_file)
{
    memcpy(w.data, "\177ELF\2\1\1", 8);
    assert_refused("offset 0x0: expected the mark \"pcomprof\", found \".ELF....\"");
}

Test(profile_file, refuses_other_versions_and_says_what_to_do)
{
    static const uint32_t others[] = {99, 5, 1};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[100];
        profile_writer_header(&w)->version = others[i];
        snprintf(text, sizeof text, "is of format version %u, this pcomp reads 7 (record the program again", others[i]);
        cr_assert_null(read_it(true));
        cr_assert_not_null(strstr(error, text), "expected \"%s\" in \"%s\"", text, error);
    }
}

Test(profile_file, refuses_the_other_byte_order)
{
    profile_writer_header(&w)->endian = __builtin_bswap32(PCOMP_ENDIAN);
    profile_writer_header(&w)->version = __builtin_bswap32(1);
    assert_refused("offset 0xc: expected byte order 0x01020304, found 0x04030201");
}

Test(profile_file, refuses_half_a_header)
{
    w.size = 1000;
    assert_refused("offset 0x3e8: expected a header of 4096 bytes, found the end of the file");
}

Test(profile_file, refuses_records_shorter_than_known)
{
    profile_writer_header(&w)->node_size = 56;
    assert_refused("expected a node size of at least 64, a multiple of 8, found 56");
}

Test(profile_file, refuses_too_many_counters)
{
    profile_writer_header(&w)->counter_count = 9;
    assert_refused("expected at most 8 counters, found 9");
}

Test(profile_file, refuses_a_truncated_file)
{
    w.size -= 4096;
    assert_refused("bytes, found the end of the file");
}

Test(profile_file, refuses_a_chunk_that_is_none)
{
    chunk_of(PCOMP_CHUNK_THREAD)->magic = 7;
    assert_refused("expected a chunk (0x4b484350), found 0x00000007");
}

Test(profile_file, refuses_a_chunk_past_the_end)
{
    chunk_of(PCOMP_CHUNK_STACK)->size = 1 << 20;
    assert_refused("as the size of a chunk, found 1048576");
}

Test(profile_file, refuses_more_records_than_fit)
{
    chunk_of(PCOMP_CHUNK_NODES)->capacity = 1000000;
    assert_refused("expected room for at most");
}

Test(profile_file, refuses_more_records_than_the_capacity)
{
    chunk_of(PCOMP_CHUNK_NODES)->count = 33;
    assert_refused("expected at most 32 records, found 33");
}

Test(profile_file, refuses_a_module_that_is_not_there)
{
    struct pcomp_function *functions = (struct pcomp_function *)(chunk_of(PCOMP_CHUNK_FUNCTIONS) + 1);
    functions[2].module = 5;
    assert_refused("expected a module below 1, found 5");
}

Test(profile_file, refuses_a_thread_without_its_root)
{
    struct pcomp_thread *thread = profile_writer_at(&w, w.record[0]);
    thread->root_link = 12345;
    assert_refused("expected a link to a node, found 0x3039");
}

Test(profile_file, refuses_text_without_an_end)
{
    struct pcomp_chunk *text = chunk_of(PCOMP_CHUNK_STRINGS);
    text->count = 3; /* in the middle of "[root]" */
    assert_refused("expected a link to text");
}

Test(profile_file, salvages_what_lies_before_the_cut)
{
    w.size -= 4096; /* the stack */
    struct profile_file *file = read_it(true);
    cr_assert_not_null(file, "%s", error);
    cr_assert_not_null(strstr(file->damage, "found the end of the file"), "%s", file->damage);
    cr_assert_eq(file->node_count, 3);
    cr_assert_eq(file->stack_count, 0);
    profile_file_close(file);
}

Test(profile_file, salvages_chunks_behind_a_damaged_one)
{
    memset(chunk_of(PCOMP_CHUNK_FUNCTIONS), 0xee, 64);
    struct profile_file *file = read_it(true);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->function_count, 0);
    cr_assert_eq(file->node_count, 3);
    cr_assert_eq(file->left_out_bytes, 4096);
    profile_file_close(file);
}

Test(profile_file, cuts_nodes_whose_cold_part_is_missing)
{
    size_t at = offset_of(PCOMP_CHUNK_NODES);
    w.size = at + sizeof(struct pcomp_chunk) + 32 * sizeof(struct pcomp_node) + 2 * sizeof(struct pcomp_node_extra);
    struct profile_file *file = read_it(true);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->node_count, 2);
    cr_assert_eq(file->left_out_nodes, 1);
    profile_file_close(file);
}

Test(profile_file, passes_over_free_chunks_and_kinds_it_does_not_know)
{
    profile_writer_chunk(&w, PCOMP_CHUNK_FREE, 9000, 0, 0, 0);
    profile_writer_chunk(&w, 4711, 100, 0, 3, UINT32_MAX);
    profile_writer_finish(&w);
    struct profile_file *file = read_it(false);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->node_count, 3);
    profile_file_close(file);
}

Test(profile_file, takes_the_newest_generation_of_a_stack)
{
    struct pcomp_frame frames[3] = {{.node = w.root[0], .start = 1}};
    profile_writer_stack(&w, 0, 0, 3, frames, 3);
    profile_writer_stack(&w, 0, 0, 2, frames, 2);
    profile_writer_stack(&w, 0, 1, 1, frames, 1);
    profile_writer_finish(&w);
    struct profile_file *file = read_it(false);
    cr_assert_eq(file->threads[0].stack_count, 2);
    cr_assert_eq(file->stacks[0].record->generation, 3);
    cr_assert_eq(file->stacks[0].frame_count, 3);
    cr_assert_eq(file->stacks[1].record->id, 1);
    profile_file_close(file);
}

Test(newer_profile_file, is_read_by_the_sizes_it_gives, .fini = drop)
{
    profile_writer_init_longer(&w, PCOMP_FLAG_FOLD_RECURSION, 2, 24);
    uint32_t function = profile_writer_function(&w, UINT32_MAX, 0x77, "region");
    uint32_t thread = profile_writer_thread(&w, 1, "t", 0);
    uint64_t parent = w.root[0];
    for (int i = 0; i < 40; i++) /* more than one chunk */
        parent = profile_writer_node(&w, thread, parent, function, (struct writer_counts){.calls = 1, .raw = 100});
    struct pcomp_frame frames[2] = {{.node = parent, .start = 5}, {.node = parent, .start = 9}};
    profile_writer_stack(&w, thread, 0, 1, frames, 2);
    profile_writer_finish(&w);
    struct profile_file *file = read_it(false);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->node_count, 42);
    uint32_t last = profile_node_index(file, parent);
    cr_assert_eq(last, 41);
    const struct profile_chunk *chunk = profile_node_chunk(file, last);
    cr_assert_eq(profile_node_extra(file, chunk, last - chunk->first_record)->function_id, function);
    cr_assert_str_eq(profile_text(file, file->functions[function]->name_link), "region");
    cr_assert_eq(profile_frame(file, &file->stacks[0], 1)->start, 9);
    profile_file_close(file);
}

Test(profile_file, opens_files_and_says_which_cannot_be_read)
{
    char path[] = "/tmp/pcomp-test-XXXXXX";
    close(mkstemp(path));
    cr_assert(profile_writer_save(&w, path));
    struct profile_file *file = profile_file_open(path, PROFILE_ENDED, false, error, sizeof error);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->node_count, 3);
    profile_file_close(file);
    file = profile_file_open(path, PROFILE_LIVE, false, error, sizeof error);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->node_count, 3);
    cr_assert_gt(file->read_mono, 0);
    profile_file_close(file);
    unlink(path);
    cr_assert_null(profile_file_open(path, PROFILE_ENDED, false, error, sizeof error));
    cr_assert_not_null(strstr(error, "cannot be read: No such file"), "%s", error);
    cr_assert_null(profile_file_open("/tmp", PROFILE_ENDED, false, error, sizeof error));
    cr_assert_not_null(strstr(error, "not a regular file"), "%s", error);
}

Test(profile_file, converts_ticks_by_the_pairs_unless_they_are_absurd)
{
    struct profile_file *file = read_it(false);
    file->header.tick_hz = 2e9;
    file->header.tick0 = 100, file->header.mono0_ns = 0;
    file->header.tick1 = 100 + 2002000000, file->header.mono1_ns = 1000000000;
    cr_assert_float_eq(profile_tick_ns(file), 1 / 2.002, 1e-12);
    cr_assert_eq(profile_tick_at(file, 500000000), 100 + 1001000000);
    file->header.mono1_ns = 9000000000; /* the clock stood still for 8 s */
    cr_assert_float_eq(profile_tick_ns(file), 0.5, 1e-12);
    file->header.tick1 = 200, file->header.mono1_ns = 60; /* too close */
    cr_assert_float_eq(profile_tick_ns(file), 0.5, 1e-12);
    profile_file_close(file);
}

/* --- Counters of calls -------------------------------------------------------------------------------------------- */

static size_t counters_at;

static void write_counters(void)
{
    static const uint64_t counters[] = {0, 0, 70};
    profile_writer_init(&w, PCOMP_FLAG_COUNTS, 0);
    uint32_t module = profile_writer_module(&w, "/bin/prog", 0x400000, 0x10000);
    profile_writer_function(&w, module, 0x401000, NULL);
    profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
    counters_at = profile_writer_counters(&w, PCOMP_COUNTS_THREAD, counters, 3);
    profile_writer_finish(&w);
}

static struct pcomp_chunk *counters_chunk(void)
{
    return (struct pcomp_chunk *)(w.data + counters_at);
}

TestSuite(counters, .init = write_counters, .fini = drop);

Test(counters, are_given_as_written)
{
    struct profile_file *file = read_it(false);
    cr_assert_not_null(file, "%s", error);
    const struct profile_chunk *chunk = &file->chunks[file->chunk_count - 1];
    cr_assert_eq(chunk->kind, PCOMP_CHUNK_COUNTS);
    cr_assert_eq(chunk->counts_kind, PCOMP_COUNTS_THREAD);
    cr_assert_eq(chunk->count, 3);
    cr_assert_eq(profile_counter(file, chunk, 2), 70);
    profile_file_close(file);
}

Test(counters, of_no_function_are_zero)
{
    counters_chunk()->count = counters_chunk()->capacity = 4;
    struct profile_file *file = read_it(false);
    cr_assert_not_null(file, "%s", error);
    cr_assert_eq(file->chunks[file->chunk_count - 1].count, 3);
    profile_file_close(file);
    ((uint64_t *)(counters_chunk() + 1))[3] = 5;
    assert_refused("expected no calls of function 3, for there are 3 functions, found 5");
    file = read_it(true);
    cr_assert_not_null(file, "%s", error);
    cr_assert_not_null(strstr(file->damage, "expected no calls of function 3"));
    profile_file_close(file);
}

Test(counters, more_than_the_chunk_holds_are_refused)
{
    counters_chunk()->count = counters_chunk()->capacity = 505;
    assert_refused("expected room for at most 504 records in a chunk of 4096 bytes, found 505");
}

Test(counters, of_an_unknown_kind_or_size_are_refused)
{
    counters_chunk()->reserved[1] = 5;
    assert_refused("expected a kind of counters from 1 to 4, found 5");
    counters_chunk()->reserved[1] = PCOMP_COUNTS_AFTER;
    counters_chunk()->record_size = 4;
    assert_refused("expected counters of 8 bytes, found 4");
}

Test(counters, past_a_cut_end_are_left_out)
{
    w.size -= 4096;
    assert_refused("found the end of the file");
    struct profile_file *file = read_it(true);
    cr_assert_not_null(file, "%s", error);
    profile_file_close(file);
}

/* The process makes a function, and its block has the counter already. */
Test(counters, of_functions_that_a_running_process_makes_just_now_are_left_out)
{
    char path[] = "/tmp/pcomp-counters-XXXXXX";
    int fd = mkstemp(path);
    counters_chunk()->count = counters_chunk()->capacity = 4;
    ((uint64_t *)(counters_chunk() + 1))[3] = 5;
    profile_writer_header(&w)->state = PCOMP_STATE_LIVE;
    cr_assert(fd >= 0 && profile_writer_save(&w, path));
    struct profile_file *file = profile_file_open(path, PROFILE_LIVE, false, error, sizeof error);
    unlink(path);
    close(fd);
    cr_assert_not_null(file, "%s", error);
    const struct profile_chunk *chunk = &file->chunks[file->chunk_count - 1];
    cr_assert_eq(chunk->count, 3);
    cr_assert_eq(profile_counter(file, chunk, 2), 70);
    profile_file_close(file);
}
