/* Small traces of ranks: alpha is 10; copying takes 5 ticks, an eager message 40 from its sending, one from 1000 bytes
 * on 100 from when both ends are there. */
#ifndef PCOMP_MPI_CASE_H
#define PCOMP_MPI_CASE_H

#include "tests/compensation/replay_case.h"

#define TIMES(c, location, ...)                                                                                        \
    case_expect_times(c, location, (const uint64_t[]){__VA_ARGS__},                                                    \
                      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#define FIXED(ticks) ((int64_t)(ticks) * (1 << PCOMP_FIX_SHIFT))

enum { F = 0x1000, SMALL = 100, LARGE = 2000, MPI_CASE_TAG = 3 };

/* A case of `count` ranks, each a process of its own. free() it. */
struct replay_case *mpi_case_new(uint32_t count, enum replay_comm comm);

/* `events` independent events of a location that spends all its time on recording them. */
void mpi_case_spend(struct replay_case *c, uint32_t location, uint64_t begin, uint32_t events);

/* An event of a message: with `peer`, tag MPI_CASE_TAG, the world's communicator. */
void mpi_case_message(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint32_t bytes,
                      uint32_t peer, uint64_t request);

/* An eager message whose send took long, while its receive was posted: 2005, eqs (2), (3), not a rendezvous. */
struct replay_case *mpi_case_slow_send(enum replay_comm comm);

/* The first wait of a location; fails the test when there is none. */
const struct replay_wait *mpi_case_wait(const struct replay_case *c, uint32_t location);

#endif
