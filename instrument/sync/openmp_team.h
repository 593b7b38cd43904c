/* The OpenMP team that the calling thread is in, for what is recorded of it whatever the runtime library. */
#ifndef PCOMP_OPENMP_TEAM_H
#define PCOMP_OPENMP_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct openmp_team {
    uint64_t token;   /* of its region in the trace; 0: none, or a team of one */
    uint32_t threads; /* 0: not known */
};

/* Of the calling thread, by itself. */
extern __thread struct openmp_team openmp_team __attribute__((tls_model("initial-exec")));

/* The runtime library is clang's, and tells of regions and barriers by itself (OMPT). */
extern bool openmp_has_tool;

#endif
