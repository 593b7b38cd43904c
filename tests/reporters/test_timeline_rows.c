/* Random executions, condensed, against what each column holds by plain counting. */
#include "reporters/timeline/timeline_rows.h"
#include "reporters/trace/files/trace_write.h"
#include "reporters/trace/trace_activity.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS = 4, EVENTS = 400, LENGTH = 20000, LOCATIONS = 3, CELLS = TIMELINE_FUNCTION + FUNCTIONS };

static char folder[64];
static uint64_t when[LOCATIONS][LENGTH]; /* by location and tick: 1 + what is active then */
static uint64_t first_tick, last_tick;

/* What is active after an event; functions are 1 .. FUNCTIONS, waiting is 100, nothing instrumented 200. */
static uint64_t active_now(const struct trace_activity *activity)
{
    uint64_t top = activity->stack.depth ? activity->stack.functions[activity->stack.depth - 1] : 200;
    return top & TRACE_IS_OPERATION ? 100 : top;
}

static void write_location(uint64_t *random, unsigned location)
{
    static struct {
        struct pcomp_trace_segment segment;
        char records[64 * EVENTS];
    } out;
    struct pcomp_trace_header header = {.location = location, .pid = 10, .tid = 10, .rank = -1, .tick_hz = 1e9};
    struct trace_writer writer;
    struct trace_activity activity = {.open = 0};
    struct trace_change change;
    char path[128], error[256];
    size_t size = 0;
    uint64_t time = 1 + prng_below(random, 50), before = 0;
    memset(&out, 0, sizeof out);
    memset(when[location], 0, sizeof when[location]);
    first_tick = time < first_tick ? time : first_tick;
    for (unsigned i = 0; i < EVENTS; i++) {
        static const uint8_t kinds[] = {PCOMP_EVENT_ENTER, PCOMP_EVENT_ENTER,    PCOMP_EVENT_EXIT,
                                        PCOMP_EVENT_EXIT,  PCOMP_EVENT_SEM_WAIT, PCOMP_EVENT_SEM_TAKEN};
        struct pcomp_event_long event = {time, (uint64_t)kinds[prng_below(random, sizeof kinds)] << 56, 0, 0};
        event.what |= 1 + prng_below(random, FUNCTIONS);
        memcpy(out.records + size, &event, 16);
        size += 16;
        for (uint64_t t = before; before && t < time; t++)
            when[location][t] = 1 + active_now(&activity);
        cr_assert(trace_activity_follow(&activity, &event, &change));
        before = time;
        last_tick = time > last_tick ? time : last_tick;
        time += prng_below(random, 40);
    }
    trace_activity_free(&activity);
    snprintf(path, sizeof path, "%s/10-0.%u.trace", folder, location);
    cr_assert(trace_writer_open(&writer, path, &header, error, sizeof error), "%s", error);
    cr_assert(trace_writer_segment(&writer, &out.segment, size, 0));
    cr_assert(trace_writer_close(&writer));
}

/* Ticks of a kind of cell in [from, to) of a location. */
static uint64_t count_cell(struct trace_functions *functions, unsigned location, uint64_t from, uint64_t to,
                           uint32_t cell)
{
    uint64_t sum = 0;
    for (uint64_t t = from; t < to && t < LENGTH; t++) {
        uint64_t active = when[location][t];
        uint32_t here = active == 0     ? TIMELINE_NOTHING
                        : active == 101 ? TIMELINE_WAITING
                        : active == 201 ? TIMELINE_OUTSIDE
                                        : TIMELINE_FUNCTION + trace_functions_find(functions, 0, active - 1);
        sum += here == cell;
    }
    return sum;
}

static void check_columns(struct trace_functions *functions, const struct timeline_rows *rows, uint64_t from,
                          double column_ticks, uint64_t seed)
{
    for (uint32_t row = 0; row < rows->rows; row++)
        for (uint32_t x = 0; x < rows->columns; x++) {
            uint64_t begin = from + (uint64_t)(x * column_ticks), end = from + (uint64_t)((x + 1) * column_ticks);
            uint32_t cell = rows->cells[row * rows->columns + x];
            uint64_t held = count_cell(functions, rows->locations[row], begin, end, cell);
            cr_assert(cell == TIMELINE_NOTHING || held > 0, "seed %llu: row %u, column %u", (unsigned long long)seed,
                      row, x);
            for (uint32_t other = TIMELINE_OUTSIDE; other < trace_functions_count(functions) + TIMELINE_FUNCTION;
                 other++)
                cr_assert(other == TIMELINE_FLUSH || cell == TIMELINE_NOTHING ||
                              count_cell(functions, rows->locations[row], begin, end, other) <= held,
                          "seed %llu: row %u, column %u has more of %u than of %u", (unsigned long long)seed, row, x,
                          other, cell);
        }
}

static void condense(uint64_t seed)
{
    uint64_t random = seed;
    char error[512], command[128];
    struct trace_directory traces;
    struct timeline_rows rows;
    uint64_t first, last;
    first_tick = UINT64_MAX;
    last_tick = 0;
    snprintf(folder, sizeof folder, "/tmp/test_timeline_XXXXXX");
    cr_assert(mkdtemp(folder));
    for (unsigned i = 0; i < LOCATIONS; i++)
        write_location(&random, i);
    cr_assert(trace_directory_open(folder, false, &traces, error, sizeof error), "%s", error);
    struct trace_functions *functions = trace_functions_open();
    uint32_t process = trace_functions_add(functions, &traces);
    cr_assert(trace_functions_gather(functions, process, &traces, &first, &last, error, sizeof error), "%s", error);
    cr_assert(first == first_tick && last == last_tick);
    double from = (double)prng_below(&random, 1000), span = 1000 + (double)prng_below(&random, 6000);
    struct timeline_view view = {from, from + span, 10 + (uint32_t)prng_below(&random, 90), LOCATIONS};
    cr_assert(timeline_condense(&traces, functions, process, first, &view, &rows, error, sizeof error), "%s", error);
    check_columns(functions, &rows, first + (uint64_t)from, (span + 1) / view.columns, seed);
    timeline_rows_free(&rows);
    trace_functions_close(functions);
    trace_directory_close(&traces);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

Test(timeline_rows, a_column_shows_what_it_has_most_of)
{
    for (uint64_t seed = 1; seed <= 30; seed++)
        condense(seed);
}
