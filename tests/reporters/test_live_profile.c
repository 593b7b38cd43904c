/* Reading the profile of a running process piece by piece: where a thread is, and that nothing in the file, however
 * damaged, does more than being of no use. */
#include "reporters/consult/foci.h"
#include "reporters/consult/live_profile.h"
#include "reporters/consult/why_names.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHADOW_DEPTH 200u /* more than is read at once */

static struct profile_writer w;
static char path[] = "/tmp/pcomp-live-XXXXXX";
static uint64_t outer, inner, deep;
static uint32_t thread;

static void write_live(void)
{
    profile_writer_init(&w, 0, 0);
    uint32_t module = profile_writer_module(&w, "/bin/prog", 0x400000, 0x10000);
    uint32_t main_function = profile_writer_function(&w, module, 0x401000, NULL);
    uint32_t region = profile_writer_function(&w, module, 0x402000, "loading");
    thread = profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
    outer = profile_writer_node(&w, thread, w.root[0], main_function, (struct writer_counts){.calls = 1});
    inner = profile_writer_node(&w, thread, outer, region, (struct writer_counts){.calls = 7});
    deep = profile_writer_node(&w, thread, inner, main_function, (struct writer_counts){.calls = 3});
}

static void save(const struct pcomp_frame *frames, uint32_t count)
{
    profile_writer_stack(&w, thread, 0, 1, frames, count);
    profile_writer_finish(&w);
    profile_writer_header(&w)->state = PCOMP_STATE_LIVE;
    profile_writer_header(&w)->end_tick = 0;
    profile_writer_header(&w)->capacity = w.size;
    strcpy(path, "/tmp/pcomp-live-XXXXXX");
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    cr_assert(profile_writer_save(&w, path));
}

static void drop(void)
{
    unlink(path);
    profile_writer_free(&w);
}

TestSuite(live_profile, .init = write_live, .fini = drop);

static struct pcomp_frame live(uint64_t node)
{
    return (struct pcomp_frame){.node = node, .start = node};
}

static char *place_of_thread(struct live_profile *profile)
{
    struct foci foci;
    struct focus_cache cache = {0};
    cr_assert(foci_open(&foci));
    const struct live_thread *t = live_profile_thread(profile, 4242);
    cr_assert_not_null(t);
    char *text = foci_path_text(&foci, foci_path(&foci, &cache, profile, live_profile_top(profile, t)));
    focus_cache_free(&cache);
    foci_close(&foci);
    return text;
}

Test(live_profile, the_topmost_live_frame_is_where_a_thread_is)
{
    struct pcomp_frame frames[] = {live(w.root[0]), live(outer), live(inner), {.node = deep}}; /* it has ended */
    save(frames, 4);
    struct live_profile *profile = live_profile_open(path);
    cr_assert_not_null(profile);
    char *text = place_of_thread(profile);
    cr_expect_str_eq(text, "prog+0x1000 > loading");
    free(text);
    live_profile_close(profile);
}

Test(live_profile, however_deep_it_is)
{
    static struct pcomp_frame frames[SHADOW_DEPTH + 20];
    frames[0] = live(w.root[0]);
    for (uint32_t i = 1; i < SHADOW_DEPTH; i++)
        frames[i] = live(outer);
    frames[SHADOW_DEPTH - 1] = live(inner);
    frames[SHADOW_DEPTH] = live(deep);
    save(frames, SHADOW_DEPTH + 20);
    struct live_profile *profile = live_profile_open(path);
    cr_assert_not_null(profile);
    char *text = place_of_thread(profile);
    cr_expect_str_eq(text, "prog+0x1000 > loading > prog+0x1000");
    free(text);
    live_profile_close(profile);
}

Test(live_profile, a_frame_that_does_not_belong_on_the_one_below_is_of_another_moment)
{
    struct pcomp_frame frames[] = {live(w.root[0]), live(outer), live(deep), {.node = deep}};
    save(frames, 4);
    struct live_profile *profile = live_profile_open(path);
    cr_assert_not_null(profile);
    char *text = place_of_thread(profile);
    cr_expect_str_eq(text, "prog+0x1000");
    free(text);
    live_profile_close(profile);
}

Test(live_profile, a_process_that_has_ended_has_none)
{
    struct pcomp_frame frames[] = {live(w.root[0])};
    save(frames, 1);
    profile_writer_header(&w)->state = PCOMP_STATE_CLOSED;
    cr_assert(profile_writer_save(&w, path));
    cr_expect_null(live_profile_open(path));
}

static void add_up(void *calls, struct live_node *node, uint64_t more)
{
    (void)node;
    *(uint64_t *)calls += more;
}

Test(live_profile, calls_are_told_once)
{
    struct pcomp_frame frames[] = {live(w.root[0])};
    save(frames, 1);
    uint64_t calls = 0;
    struct live_profile *profile = live_profile_open(path);
    cr_assert_not_null(profile);
    live_profile_called(profile, add_up, &calls);
    cr_expect_eq(calls, 11);
    live_profile_called(profile, add_up, &calls);
    cr_expect_eq(calls, 11);
    live_profile_close(profile);
}

static void add_up_counted(void *sum, uint32_t function_id, uint64_t calls)
{
    (void)function_id;
    *(uint64_t *)sum += calls;
}

static void use_all(struct live_profile *profile)
{
    struct foci foci;
    struct focus_cache cache = {0};
    struct live_word word;
    uint64_t calls = 0;
    cr_assert(foci_open(&foci));
    live_profile_runs(profile);
    for (size_t i = 0; i < profile->thread_count; i++) {
        live_profile_word(profile, &profile->threads[i], &word);
        uint64_t top = live_profile_top(profile, &profile->threads[i]);
        free(foci_path_text(&foci, foci_path(&foci, &cache, profile, top)));
        foci_site(&foci, &cache, profile, 0x401010);
    }
    live_profile_called(profile, add_up, &calls);
    live_profile_counted(profile, add_up_counted, &calls);
    live_profile_refresh(profile);
    focus_cache_free(&cache);
    foci_close(&foci);
}

Test(live_profile, damage_does_no_harm)
{
    struct pcomp_frame frames[] = {live(w.root[0]), live(outer), live(inner), live(deep)};
    save(frames, 4);
    srand48(7);
    uint8_t *good = malloc(w.size);
    memcpy(good, w.data, w.size);
    for (int round = 0; round < 1500; round++) {
        memcpy(w.data, good, w.size);
        for (int i = 0; i < 1 + round % 8; i++) {
            size_t at = (size_t)(drand48() * (double)w.size) & ~(size_t)7;
            uint64_t value = drand48() < 0.5 ? (uint64_t)lrand48() : (uint64_t)lrand48() << 33 | (uint64_t)lrand48();
            if (drand48() < 0.7) /* where there is something */
                at = (at & ~(size_t)4095) + (at & 255);
            memcpy(w.data + at, &value, sizeof value);
        }
        cr_assert(profile_writer_save(&w, path));
        if (round % 5 == 0)
            cr_assert_eq(truncate(path, (off_t)(drand48() * (double)w.size)), 0);
        struct live_profile *profile = live_profile_open(path);
        if (!profile)
            continue;
        use_all(profile);
        live_profile_close(profile);
    }
    free(good);
}

Test(why_names, thresholds_are_taken_as_they_are_written)
{
    double thresholds[WHY_COUNT] = {0};
    const char *wrong;
    cr_assert(why_thresholds_parse("cpu=20%,lock=2.5", thresholds, &wrong));
    cr_expect_float_eq(thresholds[WHY_CPU], 0.2, 1e-9);
    cr_expect_float_eq(thresholds[WHY_LOCK], 0.025, 1e-9);
    static const char *const bad[] = {"",         "cpu",     "cpu=",    "cpu=0", "cpu=100",
                                      "cpu=20%%", "cpu=20,", "cpu=nan", "x=3",   "=5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(why_thresholds_parse(bad[i], thresholds, &wrong), "%s", bad[i]);
}
