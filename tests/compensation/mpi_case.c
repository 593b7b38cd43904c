#include "tests/compensation/mpi_case.h"

#include <criterion/criterion.h>

struct replay_case *mpi_case_new(uint32_t count, enum replay_comm comm)
{
    struct replay_case *c = case_new(count, 10);

    for (uint32_t i = 0; i < count; i++) {
        c->locations[i].process = i;
        c->locations[i].rank = (int32_t)i;
    }
    c->options.comm = comm;
    c->options.messages = (struct comm_model){.eager = {.start = 40},
                                              .rendezvous = {.start = 100},
                                              .threshold = 1000,
                                              .has_protocols = true,
                                              .copies = 1,
                                              .copy = {{.bytes = 1u << 30, .time = 5}}};
    return c;
}

void mpi_case_spend(struct replay_case *c, uint32_t location, uint64_t begin, uint32_t events)
{
    for (uint32_t i = 0; i < events; i++)
        case_event(c, location, begin + 10 * i, PCOMP_EVENT_UNWIND, 1);
}

void mpi_case_message(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint32_t bytes,
                      uint32_t peer, uint64_t request)
{
    case_event_long(c, location, time, kind, bytes, (uint64_t)peer << 32 | MPI_CASE_TAG, request << 24);
}

struct replay_case *mpi_case_slow_send(enum replay_comm comm)
{
    struct replay_case *c = mpi_case_new(2, comm);

    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 200, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_spend(c, 1, 0, 16);
    mpi_case_message(c, 1, 160, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 270, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    return c;
}

const struct replay_wait *mpi_case_wait(const struct replay_case *c, uint32_t location)
{
    for (uint32_t i = 0; i < c->wait_count; i++) {
        if (c->waits[i].location == location)
            return &c->waits[i];
    }
    cr_assert_fail("location %u did not wait", location);
    return NULL;
}
