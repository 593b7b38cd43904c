#include "compensation/replay/engine/replay_types.h"

#include "compensation/numeric/t_quantile.h"
#include "compensation/trace_event/alpha.h"

#include <math.h>

const char *replay_wait_name(enum replay_wait_kind kind)
{
    switch ((int)kind) {
    case REPLAY_WAIT_JOIN:
        return "join";
    case REPLAY_WAIT_BARRIER:
        return "barrier";
    case REPLAY_WAIT_SEMAPHORE:
        return "semaphore";
    case REPLAY_WAIT_LOCK:
        return "lock";
    case REPLAY_WAIT_CONDITION:
        return "condition";
    case REPLAY_WAIT_AWAIT:
        return "await";
    case REPLAY_WAIT_STREAM:
        return "stream";
    case REPLAY_WAIT_PROCESSOR:
        return "processor";
    case REPLAY_WAIT_LATE_SENDER:
        return "late-sender";
    case REPLAY_WAIT_LATE_RECEIVER:
        return "late-receiver";
    case REPLAY_WAIT_N_TO_N:
        return "n-to-n";
    case REPLAY_WAIT_1_TO_N:
        return "1-to-n";
    case REPLAY_WAIT_N_TO_1:
        return "n-to-1";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_SLEEP:
        return "external-sleep";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_POLL:
        return "external-poll";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_READ:
        return "external-read";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_WRITE:
        return "external-write";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_CHILD:
        return "external-child";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_SIGNAL:
        return "external-signal";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_FILE_LOCK:
        return "external-file-lock";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_TASKS:
        return "external-openmp-tasks";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_COLLECTIVE:
        return "external-mpi-collective";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_WINDOW:
        return "external-mpi-window";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_FILES:
        return "external-mpi-file";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_TEST:
        return "external-mpi-test";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_MESSAGE:
        return "external-mpi-message";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_FUTEX:
        return "external-futex";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_YIELD:
        return "external-yield";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_SPIN:
        return "external-spin";
    default:
        return "?";
    }
}

double replay_removal_uncertainty(const struct replay_path *path)
{
    return hypot(alpha_uncertainty((double)path->removed - path->counted), PCOMP_NORMAL_95 * path->doubt);
}

double replay_outside_uncertainty(const struct replay_path *path)
{
    return hypot((double)path->external, PCOMP_NORMAL_95 * sqrt(path->scatter));
}

double replay_uncertainty(const struct replay_path *path)
{
    return hypot(replay_removal_uncertainty(path), replay_outside_uncertainty(path));
}
