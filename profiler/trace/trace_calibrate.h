/* Alpha: what recording one event costs, by kind, measured with the same functions that record the program's events. */
#ifndef PCOMP_TRACE_CALIBRATE_H
#define PCOMP_TRACE_CALIBRATE_H

#include "compensation/numeric/delta.h"

#include <stdbool.h>
#include <stdint.h>

/* Measures alpha, at the start and again at the end; forked children inherit it. *delta: what an ENTER costs as `own`,
 * and a call, ENTER and EXIT, as `descendant`. False: no memory. Signals blocked. */
bool trace_calibrate(struct pcomp_delta *delta);

/* What a wrapped call costs beside recording its `events`, of which `kinds` are the kinds: measured with `run`, which
 * makes `calls` such calls, recorded or not, and added to alpha of the first `charged` kinds. What it records is thrown
 * away. By a thread that records, while no other calibrates. */
void trace_calibrate_wrapper(void (*run)(bool recorded), uint32_t calls, const uint8_t kinds[], uint32_t events,
                             uint32_t charged);

/* What an ENTER or an EXIT costs now, mean of both, 1/1024 tick: measured in the calling thread, which records, with
 * signals blocked, in some microseconds. 0: it could not be (another thread does, or it is not like the calibrated
 * one). */
int64_t trace_calibrate_in_place(void);

/* The mean of what was measured so until now, of all threads; of the calibration, where nothing was. */
int64_t trace_calibrate_mean(void);

/* Provides what that needs. Process start, also in the child of a fork. */
void trace_in_place_start(void);

#endif
