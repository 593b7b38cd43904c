/* Which functions samples of the program counter are of: this program's own, found in its own debug information. */
#include "reporters/merge/sample_places.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
/* its own seven bytes back */
#define HERE(pc) __asm__ volatile("leaq -7(%%rip), %0" : "=r"(pc))
#else
#define HERE(pc) __asm__ volatile("adr %0, ." : "=r"(pc))
#endif

static inline __attribute__((always_inline)) uint64_t place_in_inlined(void)
{
    uint64_t pc;
    HERE(pc);
    return pc;
}

/* Inside the function itself, or in what is inlined there. */
static __attribute__((noinline)) uint64_t around_inlined(int in_inlined)
{
    uint64_t pc = place_in_inlined(), own;
    HERE(own);
    return in_inlined ? pc : own;
}

static __attribute__((noinline)) int uninteresting(int n)
{
    __asm__ volatile("" ::: "memory");
    return n + 1;
}

static uint64_t (*volatile inlined_pointer)(void) = place_in_inlined; /* it has a copy of its own, as hooks want it */

static struct profile_writer w;
static struct profile_file *file;
static struct sample_places places;
static struct pcomp_sample *samples;
static uint32_t inlined, around, sample_count;

static int load_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1; /* the program comes first */
}

static void begin(void)
{
    uint64_t bias = 0;
    dl_iterate_phdr(load_bias, &bias);
    profile_writer_init(&w, PCOMP_FLAG_SAMPLED, 0);
    uint32_t own = profile_writer_module(&w, realpath("/proc/self/exe", NULL), bias, 1 << 26);
    profile_writer_thread(&w, 1, "one", PCOMP_THREAD_MAIN);
    profile_writer_thread(&w, 2, "two", 0);
    inlined = profile_writer_function(&w, own, (uint64_t)(uintptr_t)inlined_pointer, NULL);
    around = profile_writer_function(&w, own, (uint64_t)(uintptr_t)&around_inlined, NULL);
    size_t chunk = profile_writer_chunk(&w, PCOMP_CHUNK_SAMPLES, 64 * sizeof *samples, 0, sizeof *samples, 64);
    ((struct pcomp_chunk *)(w.data + chunk))->count = 64;
    samples = (struct pcomp_sample *)(w.data + chunk + sizeof(struct pcomp_chunk));
    sample_count = 0;
}

static void add(uint32_t thread, uint64_t pc, uint32_t count)
{
    samples[(sample_count++ * 7 + 3) % 64] = (struct pcomp_sample){pc, thread, count};
}

static void find(bool symbols)
{
    char error[256];
    profile_writer_finish(&w);
    file = profile_file_from_memory("test", w.data, w.size, false, error, sizeof error);
    cr_assert(file, "%s", error);
    cr_assert(sample_places_find(file, symbols, &places));
}

static void end(void)
{
    sample_places_free(&places);
    profile_file_close(file);
    profile_writer_free(&w);
}

TestSuite(sample_places, .init = begin, .fini = end);

/* Samples of a thread in a function; -1: no such entry. */
static double in(uint32_t thread, uint32_t function, double *at_sites)
{
    size_t count;
    const struct sample_place *items = sample_places_of(&places, thread, &count);
    for (size_t i = 0; i < count; i++)
        if (items[i].function == function) {
            if (at_sites)
                *at_sites = items[i].at_sites;
            return items[i].count;
        }
    return -1;
}

Test(sample_places, the_innermost_function_of_the_profile_has_the_sample)
{
    add(0, around_inlined(1), 5);
    add(0, around_inlined(0), 3);
    add(0, (uint64_t)(uintptr_t)inlined_pointer, 2);
    find(true);
    cr_expect_null(places.unknown);
    cr_expect_eq(in(0, inlined, NULL), 7);
    cr_expect_eq(in(0, around, NULL), 3);
}

Test(sample_places, threads_are_apart_and_sites_are_counted)
{
    double at_sites;
    add(1, around_inlined(0), 4);
    add(1, around_inlined(0) | PCOMP_SAMPLE_AT_SITE, 2);
    add(0, around_inlined(0), 1);
    find(true);
    cr_expect_eq(in(0, around, NULL), 1);
    cr_expect_eq(in(1, around, &at_sites), 6);
    cr_expect_eq(at_sites, 2);
}

Test(sample_places, what_is_in_no_function_of_the_profile_is_nobodys)
{
    add(0, PCOMP_SAMPLE_LOST, 1);
    add(0, PCOMP_SAMPLE_APART, 8);
    add(0, (uint64_t)(uintptr_t)&uninteresting, (uint32_t)uninteresting(1));
    add(0, 4096, 4);
    add(0, UINT64_MAX, 16);
    add(77, around_inlined(0), 1); /* of no thread that there is */
    find(true);
    cr_expect_eq(in(0, SAMPLE_OF_NONE, NULL), 23);
    cr_expect_eq(in(0, SAMPLE_APART, NULL), 8);
    cr_expect_eq(in(77, around, NULL), 1);
    cr_expect_eq(in(3, around, NULL), -1);
}

Test(sample_places, without_symbols_or_the_module_no_function_is_known)
{
    add(0, around_inlined(0), 5);
    find(false);
    cr_expect_eq(in(0, SAMPLE_OF_NONE, NULL), 5);
    cr_expect_null(places.unknown);
}

Test(sample_places, a_module_that_is_not_there_is_named)
{
    uint32_t gone = profile_writer_module(&w, "/nowhere/libgone.so", 0x10000000, 4096);
    profile_writer_function(&w, gone, 0x10000100, NULL);
    add(0, 0x10000104, 5);
    find(true);
    cr_expect_str_eq(places.unknown, "/nowhere/libgone.so");
    cr_expect_eq(in(0, SAMPLE_OF_NONE, NULL), 5);
}
