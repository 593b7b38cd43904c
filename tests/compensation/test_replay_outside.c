/* Streams, and waits whose cause is not recorded; alpha is 10. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000, BYTES = 100 };
#define PIPE  (PCOMP_EVENT_SHARED | 7)
#define CHILD (PCOMP_EVENT_SHARED | 99)

static struct replay_case *processes(uint32_t count)
{
    struct replay_case *c = case_new(count, 10);
    for (uint32_t i = 0; i < count; i++)
        c->locations[i].process = i;
    return c;
}

static void stream(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint64_t bytes)
{
    case_event_long(c, location, time, kind, PIPE, bytes, 0);
}

/* The writer writes at 100 but for its ten probes at 0; the reader is there at 40 and waits for it. */
Test(replay_stream, read_follows_the_write_of_its_last_byte)
{
    struct replay_case *c = processes(2);

    for (uint64_t t = 0; t < 100; t += 10)
        case_event(c, 0, t, PCOMP_EVENT_UNWIND, 1);
    stream(c, 0, 100, PCOMP_EVENT_STREAM_WRITE, BYTES);
    stream(c, 0, 200, PCOMP_EVENT_STREAM_WRITE, BYTES);
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    stream(c, 1, 50, PCOMP_EVENT_STREAM_READ, 0);
    stream(c, 1, 115, PCOMP_EVENT_STREAM_DONE, BYTES / 2);
    stream(c, 1, 125, PCOMP_EVENT_STREAM_READ, 0);
    stream(c, 1, 215, PCOMP_EVENT_STREAM_DONE, BYTES / 2 + 1); /* the last byte is of the second write */
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 1, 0, 40, 45, 45, 95); /* the writes are at 0 and 90, and each read ends 5 after the later one */
    cr_expect_eq(c->waits[0].kind, REPLAY_WAIT_STREAM);
    cr_expect_eq(c->waits[0].measured, FIXED(110 - 60));
    cr_expect_eq(c->result.external_calls[PCOMP_EXTERNAL_READ], 0);
    free(c);
}

Test(replay_stream, short_write_counts_what_was_written)
{
    struct replay_case *c = processes(2);

    stream(c, 0, 0, PCOMP_EVENT_STREAM_WRITE, BYTES);
    stream(c, 0, 20, PCOMP_EVENT_STREAM_WRITTEN, 1);
    stream(c, 0, 200, PCOMP_EVENT_STREAM_WRITE, BYTES);
    stream(c, 1, 0, PCOMP_EVENT_STREAM_READ, 0);
    stream(c, 1, 230, PCOMP_EVENT_STREAM_DONE, 2);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 1, 0, 180 + 20);
    free(c);
}

Test(replay_stream, read_of_what_nobody_wrote_is_kept_as_measured_and_named)
{
    struct replay_case *c = processes(1);

    stream(c, 0, 0, PCOMP_EVENT_STREAM_READ, 0);
    stream(c, 0, 500, PCOMP_EVENT_STREAM_DONE, BYTES);
    case_replay(c);
    TIMES(c, 0, 0, 490);
    cr_expect_eq(c->result.external_calls[PCOMP_EXTERNAL_READ], 1);
    cr_expect_eq(c->waits[0].kind, REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_READ);
    cr_expect_eq(c->waits[0].cause, UINT32_MAX);
    cr_expect_geq(replay_uncertainty(&c->result.critical_path), (double)FIXED(490));
    free(c);
}

/* The same for calls that are recorded as such, whatever a signal handler does meanwhile; a sleep is sure. */
Test(replay_external, wait_without_a_rule_is_in_the_uncertainty)
{
    for (uint64_t what = PCOMP_EXTERNAL_SLEEP; what <= PCOMP_EXTERNAL_POLL; what++) {
        struct replay_case *c = processes(1);

        case_event(c, 0, 0, PCOMP_EVENT_EXTERNAL_BEGIN, what);
        case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
        case_event(c, 0, 150, PCOMP_EVENT_EXIT, F);
        case_event(c, 0, 500, PCOMP_EVENT_EXTERNAL_END, what);
        case_replay(c);
        TIMES(c, 0, 0, 90, 130, 470);
        cr_expect_eq(c->result.external_calls[what], 1);
        cr_expect_eq(c->waits[0].measured, FIXED(470));
        cr_expect_eq(c->waits[0].approximated, FIXED(470));
        cr_expect_eq(c->result.critical_path.external, what == PCOMP_EXTERNAL_SLEEP ? 0 : FIXED(470));
        free(c);
    }
}

/* Of a wait of which samples tell, the end has by how much it was longer; never longer than the location. */
Test(replay_external, end_says_how_much_longer_it_was)
{
    for (uint64_t more = 100; more < 1u << 30; more *= 100) {
        struct replay_case *c = processes(1);

        case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
        case_event(c, 0, 800, PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_SPIN);
        case_event(c, 0, 900, PCOMP_EVENT_EXTERNAL_END, more << PCOMP_EXTERNAL_BITS | PCOMP_EXTERNAL_SPIN);
        case_replay(c);
        cr_expect_eq(c->result.external_calls[PCOMP_EXTERNAL_SPIN], 1);
        cr_expect_eq(c->result.critical_path.external, more == 100 ? FIXED(190) : FIXED(880));
        free(c);
    }
}

/* What is not on the path that leads to the end makes the end no less sure. */
Test(replay_external, wait_beside_the_critical_path_is_not_in_the_uncertainty)
{
    struct replay_case *c = processes(2);

    case_event(c, 0, 0, PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_POLL);
    case_event(c, 0, 500, PCOMP_EVENT_EXTERNAL_END, PCOMP_EXTERNAL_POLL);
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 1, 900, PCOMP_EVENT_EXIT, F);
    case_replay(c);
    cr_expect_eq(c->result.critical_path.external, 0);
    cr_expect_eq(c->result.external_calls[PCOMP_EXTERNAL_POLL], 1);
    free(c);
}

/* A parent that waits for a child spends the time of the child's probes in it. */
Test(replay_external, parent_waits_for_its_child)
{
    struct replay_case *c = processes(2);

    case_event(c, 0, 0, PCOMP_EVENT_CREATE, CHILD);
    case_event(c, 0, 20, PCOMP_EVENT_JOIN_BEGIN, CHILD);
    case_event(c, 1, 30, PCOMP_EVENT_START, CHILD);
    for (uint64_t t = 40; t < 240; t += 10)
        case_event(c, 1, t, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 1, 250, PCOMP_EVENT_EXIT, F);
    case_event(c, 0, 270, PCOMP_EVENT_JOIN_END, CHILD);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 0, 0, 10, 40); /* START at 20, its last event at 30 */
    cr_expect_eq(c->waits[0].kind, REPLAY_WAIT_JOIN);
    free(c);
}

/* As another program it records elsewhere, or not at all. */
Test(replay_external, child_that_executes_another_program_is_waited_for_as_measured)
{
    struct replay_case *c = processes(2);

    case_event(c, 0, 0, PCOMP_EVENT_CREATE, CHILD);
    case_event(c, 0, 20, PCOMP_EVENT_JOIN_BEGIN, CHILD);
    case_event(c, 1, 30, PCOMP_EVENT_START, CHILD);
    case_event(c, 1, 50, PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_CHILD);
    case_event(c, 0, 270, PCOMP_EVENT_JOIN_END, CHILD);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 0, 0, 10, 250);
    cr_expect_eq(c->result.critical_path.external, FIXED(240));
    free(c);
}

Test(replay_external, child_that_is_not_recorded_is_waited_for_as_measured)
{
    struct replay_case *c = processes(1);

    case_event(c, 0, 0, PCOMP_EVENT_CREATE, CHILD);
    case_event(c, 0, 20, PCOMP_EVENT_JOIN_BEGIN, CHILD);
    case_event(c, 0, 270, PCOMP_EVENT_JOIN_END, CHILD);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 0, 0, 10, 250);
    cr_expect_eq(c->result.external_calls[PCOMP_EXTERNAL_CHILD], 1);
    cr_expect_eq(c->result.critical_path.external, FIXED(240));
    free(c);
}
