/* The traces of a directory: which there are, what they are called, on one clock. */
#include "compensation/estimate/site_price.h"
#include "reporters/replay/replay_job.h"
#include "reporters/trace/files/trace_write.h"
#include "reporters/trace/trace_directory.h"
#include "tests/support/profile_writer.h"
#include "tests/support/trace_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *dir;

static void make_dir(void)
{
    dir = trace_maker_directory();
}

static void remove_dir(void)
{
    trace_maker_remove(dir);
}

TestSuite(trace_directory, .init = make_dir, .fini = remove_dir);

static const struct pcomp_event two_events[] = {{1000, (uint64_t)PCOMP_EVENT_ENTER << 56 | 16},
                                                {2000, (uint64_t)PCOMP_EVENT_EXIT << 56 | 16}};

static void add(int pid, unsigned image, unsigned location, int rank, int world)
{
    struct pcomp_trace_header h = trace_maker_header(pid, location, rank, world);
    trace_maker_write(dir, image, &h, two_events, sizeof two_events);
}

static void cr_names(bool salvage, size_t count, const char *const *names, const uint32_t *processes)
{
    struct trace_directory d;
    char error[1024] = "";
    cr_assert(trace_directory_open(dir, salvage, &d, error, sizeof error), "%s", error);
    cr_assert_eq(d.count, count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(d.locations[i].name, names[i]);
        cr_expect_eq(d.locations[i].process, processes[i], "process of %s: %u", names[i], d.locations[i].process);
    }
    trace_directory_close(&d);
}

static void cr_refused(const char *part)
{
    struct trace_directory d;
    char error[1024] = "";
    cr_assert(!trace_directory_open(dir, false, &d, error, sizeof error), "was opened, but expected: %s", part);
    cr_assert(strstr(error, part), "%s", error);
}

Test(trace_directory, one_process)
{
    add(100, 0, 2, -1, 0);
    add(100, 0, 10, -1, 0);
    add(100, 0, 0, -1, 0);
    cr_names(false, 3, (const char *const[]){"main", "thread 2", "thread 10"}, (const uint32_t[]){0, 0, 0});
}

Test(trace_directory, ranks_come_first_and_in_order)
{
    add(90, 0, 0, -1, 0);
    add(100, 0, 0, 10, 0);
    add(100, 0, 1, 10, 0);
    add(101, 0, 0, 2, 0);
    cr_names(false, 4, (const char *const[]){"rank 2", "rank 10", "rank 10 thread 1", "pid 90"},
             (const uint32_t[]){0, 1, 1, 2});
}

Test(trace_directory, names_are_unique)
{
    add(90, 0, 0, -1, 0); /* exec'ed another image */
    add(90, 1, 0, -1, 0);
    add(91, 0, 0, -1, 0);
    cr_names(false, 3, (const char *const[]){"pid 90 of 90-0", "pid 90 of 90-1", "pid 91"},
             (const uint32_t[]){0, 1, 2});
}

Test(trace_directory, a_rank_is_missing)
{
    add(100, 0, 0, 0, 3);
    add(101, 0, 0, 2, 3);
    cr_refused("the trace of rank 1 of 3 is missing");
    cr_names(true, 2, (const char *const[]){"rank 0", "rank 2"}, (const uint32_t[]){0, 1});
    add(102, 0, 0, 1, 3);
    cr_names(false, 3, (const char *const[]){"rank 0", "rank 1", "rank 2"}, (const uint32_t[]){0, 1, 2});
}

Test(trace_directory, the_last_rank_is_missing)
{
    add(100, 0, 0, 0, 2);
    cr_refused("the trace of rank 1 of 2 is missing");
}

Test(trace_directory, another_run)
{
    add(100, 0, 0, -1, 0);
    struct pcomp_trace_header h = trace_maker_header(101, 0, -1, 0);
    h.run_id[3] ^= 1;
    trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
    cr_refused("belongs to another run");
}

Test(trace_directory, clocks_of_other_rates)
{
    add(100, 0, 0, 0, 0);
    struct pcomp_trace_header h = trace_maker_header(101, 0, 1, 0);
    h.tick_hz *= 1.1;
    trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
    cr_refused("its clock ticks at");
}

/* Rank 1 has a clock that is two and a half times as fast, and 1000 ticks of rank 0's ahead. */
Test(trace_directory, clocks_of_other_rates_with_measured_offsets)
{
    for (int measured = 1; measured <= 2; measured++) { /* a killed process has one offset */
        struct pcomp_event_long calls[] = {
            {.time = 5000, .what = (uint64_t)PCOMP_EVENT_PREEMPTED << 56 | 50, .a = 100, .b = 1000},
            {.time = 7500, .what = (uint64_t)PCOMP_EVENT_CALLS << 56 | 25, .a = 7, .b = 500}};
        struct pcomp_event flush = {10000, (uint64_t)PCOMP_EVENT_FLUSH_END << 56 | 2500};
        unsigned char records[sizeof calls + sizeof flush];
        struct pcomp_trace_header h = trace_maker_header(101, 0, 1, 2);
        struct trace_directory d;
        char error[1024] = "";
        memcpy(records, calls, sizeof calls);
        memcpy(records + sizeof calls, &flush, sizeof flush);
        h.tick_hz *= 2.5;
        h.offset_tick[0] = 5000;
        h.offset[0] = 2000 + 1000 - 5000;
        h.offset_tick[1] = measured == 2 ? 10000 : 0;
        h.offset[1] = measured == 2 ? 4000 + 1000 - 10000 : 0;
        h.alpha[PCOMP_EVENT_ENTER] = 25600;
        h.alpha[PCOMP_ALPHA_SAMPLING] = 777;
        h.context = -5120;
        h.context_error = 2560;
        add(100, 0, 0, 0, 2);
        trace_maker_write(dir, 0, &h, records, sizeof records);
        cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
        cr_expect(!d.one_clock);
        cr_expect_eq(d.locations[1].file->header.alpha[PCOMP_EVENT_ENTER], 10240);
        cr_expect_eq(d.locations[1].file->header.alpha[PCOMP_ALPHA_SAMPLING], 777);
        cr_expect_eq(d.locations[1].file->context.more, -2048);
        cr_expect_eq(d.locations[1].file->context.error, 1024);
        cr_assert_eq(trace_directory_read(&d, 1, records, sizeof records, error, sizeof error),
                     (int64_t)sizeof records);
        memcpy(calls, records, sizeof calls);
        memcpy(&flush, records + sizeof calls, sizeof flush);
        cr_expect_eq(calls[0].time, 3000);
        cr_expect_eq(calls[0].what & PCOMP_EVENT_VALUE, 20);
        cr_expect_eq(calls[0].a, 40);
        cr_expect_eq(calls[0].b, 400);
        cr_expect_eq(calls[1].time, 4000);
        cr_expect_eq(calls[1].what & PCOMP_EVENT_VALUE, 10);
        cr_expect_eq(calls[1].a, 7);
        cr_expect_eq(calls[1].b, 200);
        cr_expect_eq(flush.time, 5000);
        cr_expect_eq(flush.what & PCOMP_EVENT_VALUE, 1000);
        trace_directory_close(&d);
    }
}

Test(trace_directory, offsets_are_interpolated)
{
    struct pcomp_trace_header h = trace_maker_header(101, 0, 1, 2);
    h.offset_tick[0] = 1000;
    h.offset[0] = 500;
    h.offset_tick[1] = 3000;
    h.offset[1] = 700;
    add(100, 0, 0, 0, 2);
    trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
    struct trace_directory d;
    char error[1024] = "";
    struct pcomp_event events[4];
    cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
    cr_expect(!d.one_clock);
    cr_assert_eq(trace_directory_read(&d, 1, events, sizeof events, error, sizeof error), (int64_t)sizeof two_events);
    cr_expect_eq(events[0].time, 1500);
    cr_expect_eq(events[1].time, 2600);
    cr_assert_eq(trace_directory_read(&d, 0, events, sizeof events, error, sizeof error), (int64_t)sizeof two_events);
    cr_expect_eq(events[1].time, 2000);
    trace_directory_close(&d);
}

/* A clock that gains 10 % from 2000 on; the measurement at 3000 is off by less than its error. */
Test(trace_directory, offsets_on_the_way_bend_the_line)
{
    struct pcomp_trace_header h = {.offset_tick = {1000, 6000},
                                   .offset = {500, 900},
                                   .offset_count = 3,
                                   .offsets = {{2000, 500, 2}, {3000, 640, 50}, {4000, 700, 2}}};
    struct trace_clock clock;
    cr_assert(trace_clock_init(&clock, &h, 1));
    cr_expect_eq(clock.error, 50);
    static const uint64_t times[] = {0, 1500, 2000, 2500, 3000, 4000, 5999, 6000, 7000},
                          mapped[] = {500, 2000, 2500, 3050, 3600, 4700, 6899, 6900, 8000};
    struct pcomp_event events[9];
    for (int i = 0; i < 9; i++)
        events[i] = (struct pcomp_event){times[i], (uint64_t)PCOMP_EVENT_ENTER << 56};
    trace_clock_map(&clock, events, sizeof events);
    for (int i = 0; i < 9; i++)
        cr_expect_eq(events[i].time, mapped[i], "%llu: %llu", (unsigned long long)times[i],
                     (unsigned long long)events[i].time);
    h.offsets[1].tick = 2000;
    cr_expect_not(trace_clock_init(&clock, &h, 1));
    h.offset_count = UINT32_MAX; /* damaged: no more than there are */
    cr_expect_not(trace_clock_init(&clock, &h, 1));
}

Test(trace_directory, offsets_that_contradict)
{
    struct pcomp_trace_header h = trace_maker_header(100, 0, 0, 1);
    h.offset_tick[0] = 1000;
    h.offset_tick[1] = 1010;
    h.offset[1] = -500;
    trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
    cr_refused("contradict each other");
}

/* Mapped times stay in order whatever the offsets. */
Test(trace_directory, order_is_kept)
{
    for (int slope = -999; slope <= 999; slope += 37) {
        struct pcomp_trace_header h = {.offset_tick = {5000, 6000},
                                       .offset = {-300, -300 + slope},
                                       .offset_count = 1,
                                       .offsets = {{5400, -300 + slope * 2 / 5 + (999 - abs(slope)) / 10, 1}}};
        struct trace_clock clock;
        cr_assert(trace_clock_init(&clock, &h, 1));
        uint64_t last = 0;
        for (uint64_t t = 4000; t < 8000; t++) {
            struct pcomp_event e = {t, (uint64_t)PCOMP_EVENT_ENTER << 56};
            trace_clock_map(&clock, &e, sizeof e);
            cr_assert_geq(e.time, last, "slope %d/1000 at %llu", slope, (unsigned long long)t);
            last = e.time;
        }
    }
}

/* What is written is read, in segments of any size. */
Test(trace_directory, written_and_read)
{
    enum { EVENTS = 3000 };
    static struct pcomp_event_long written[EVENTS], read[EVENTS + 100];
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    for (int i = 0; i < EVENTS; i++)
        written[i] = (struct pcomp_event_long){(uint64_t)(1000 + i), (uint64_t)PCOMP_EVENT_ADVANCE << 56 | 8,
                                               (uint64_t)i, ~(uint64_t)i};
    for (size_t records = 1; records <= EVENTS; records = records * 3 + 1) {
        trace_maker_write_in_parts(dir, 0, &h, written, sizeof written, records * sizeof *written);
        struct trace_directory d;
        char error[1024] = "";
        cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
        size_t size = 0;
        for (int64_t n;
             (n = trace_directory_read(&d, 0, (char *)read + size, sizeof read - size, error, sizeof error)) != 0;) {
            cr_assert_gt(n, 0, "%s", error);
            size += (size_t)n;
        }
        cr_assert_eq(size, sizeof written);
        cr_assert_eq(memcmp(read, written, sizeof written), 0);
        cr_assert_eq(trace_file_event(d.locations[0].file), EVENTS);
        trace_directory_close(&d);
    }
}

/* All kinds keep their proportions to an ENTER and an EXIT. */
Test(trace_directory, alpha_is_the_mean_of_what_was_measured_while_the_program_ran)
{
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    struct trace_directory d;
    char error[1024] = "";
    h.alpha[PCOMP_EVENT_ENTER] = 8 * 1024;
    h.alpha[PCOMP_EVENT_EXIT] = 12 * 1024;
    h.alpha[PCOMP_EVENT_SEM_V] = 30 * 1024;
    h.alpha[PCOMP_EVENT_COUNTED] = 2 * 1024;
    h.alpha[PCOMP_ALPHA_COUNTED_ERROR] = 1024;
    h.alpha[PCOMP_ALPHA_SAMPLING] = 777;
    h.in_place_sum = (12 + 18) * 1024;
    h.in_place_squares = (12 * 12 + 18 * 18) * 1024;
    h.in_place_count = 2;
    trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
    cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
    const struct trace_file *file = d.locations[0].file;
    cr_expect_eq(file->header.alpha[PCOMP_EVENT_ENTER], 12 * 1024);
    cr_expect_eq(file->header.alpha[PCOMP_EVENT_EXIT], 18 * 1024);
    cr_expect_eq(file->header.alpha[PCOMP_EVENT_SEM_V], 45 * 1024);
    cr_expect_eq(file->header.alpha[PCOMP_EVENT_COUNTED], 2 * 1024, "a counted call is no event");
    cr_expect_eq(file->header.alpha[PCOMP_ALPHA_COUNTED_ERROR], 1024);
    cr_expect_eq(file->header.alpha[PCOMP_ALPHA_SAMPLING], 777);
    cr_expect_eq(file->alpha_spread, 3 * 1024);
    trace_directory_close(&d);
}

Test(trace_directory, the_context_of_events_is_read_unless_it_is_absurd)
{
    static const int64_t absurd[] = {INT64_MAX, INT64_MIN, INT64_C(1) << 40};
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    struct trace_directory d;
    char error[1024] = "";
    h.context = -3 * 1024;
    h.context_error = 1024;
    for (size_t i = 0; i <= sizeof absurd / sizeof *absurd; i++) {
        trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
        cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
        cr_expect_eq(d.locations[0].file->context.more, i ? 0 : -3 * 1024);
        cr_expect_eq(d.locations[0].file->context.error, i ? 0 : 1024);
        trace_directory_close(&d);
        h.context = h.context_error = absurd[i % (sizeof absurd / sizeof *absurd)];
    }
}

Test(trace_directory, what_was_measured_out_of_all_proportion_is_left_alone)
{
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    struct trace_directory d;
    char error[1024] = "";
    h.in_place_sum = INT64_MAX;
    h.in_place_squares = UINT64_MAX;
    h.in_place_count = 1;
    trace_maker_write(dir, 0, &h, two_events, sizeof two_events);
    cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
    cr_expect_eq(d.locations[0].file->header.alpha[PCOMP_EVENT_ENTER], 10 * 1024);
    trace_directory_close(&d);
}

static void add_profile(int pid, double lost, uint64_t sites)
{
    struct profile_writer w;
    char path[4300];
    profile_writer_init(&w, 0, 0);
    profile_writer_header(&w)->speed_lost = lost;
    profile_writer_header(&w)->site_enters = sites;
    snprintf(path, sizeof path, "%s/%d-0.pcomp", dir, pid);
    cr_assert(profile_writer_save(&w, path));
    profile_writer_free(&w);
}

Test(trace_directory, the_machine_is_as_steady_as_the_process_that_found_it_least_so)
{
    struct trace_directory d;
    char error[1024] = "";
    add(100, 0, 0, -1, 0);
    add(101, 0, 0, -1, 0);
    add(102, 0, 0, -1, 0);
    add_profile(100, 0.02, 0);
    add_profile(101, 0.08, 7);
    cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
    cr_expect_float_eq(d.speed, 0.08, 1e-12);
    cr_expect_eq(d.sites[0].call, 0, "nothing is known of calls");
    const struct replay_result result = {.approximated = 1000, .critical_path = {.external = 400}};
    cr_expect_float_eq(replay_job_speed(&d, &result), 0.08 * 600, 1e-9, "what was kept as measured does not differ");
    cr_expect_float_eq(replay_job_machine(&d, &result), hypot(0.08, PCOMP_SITE_LAYOUT) * 600, 1e-9,
                       "the program without sites differs by where its code lies, too");
    trace_directory_close(&d);
    add_profile(101, 1, 0);
    cr_assert(trace_directory_open(dir, false, &d, error, sizeof error), "%s", error);
    cr_expect_float_eq(d.speed, 0.02, 1e-12, "damaged values are none");
    cr_expect_eq(d.layout, 0, "without sites no code is elsewhere");
    trace_directory_close(&d);
}
