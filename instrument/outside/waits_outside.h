/* Functions of libc whose calls are all waits that no rule covers. */
#ifndef PCOMP_WAITS_OUTSIDE_H
#define PCOMP_WAITS_OUTSIDE_H

#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/own_calls.h"

/* Defines one; `own` are its parameters' names. */
#define OUTSIDE(what, result, name, types, own)                                                                        \
    REAL(result, name, types, own);                                                                                    \
    EXPORT result name types                                                                                           \
    {                                                                                                                  \
        return CALLED_BY_US() ? real_##name own : EXTERNAL_WAIT(what, real_##name own);                                \
    }

#endif
