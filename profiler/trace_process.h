/* Where recording begins and ends for a process and its threads, and what the call stack hands on to it. */
#ifndef PCOMP_TRACE_PROCESS_H
#define PCOMP_TRACE_PROCESS_H

#include "profiler/hot.h"

#include "compensation/replay/event.h"

#include <stdbool.h>

/* Whether a thread that records may do so: true beside trace_on also while the start and the end measure alpha, when
 * what other threads do is not recorded. */
extern bool trace_records;

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

/* Provides what that needs. Process start, also in the child of a fork. */
void trace_in_place_start(void);

/* Makes `h` record into memory that ends at `end`, as its thread would. */
void trace_calibrating(struct hot *h, uint64_t end);

/* Sets how deep the calling thread is muted (trace_mute); returns how deep it was. */
uint32_t trace_set_muted(uint32_t depth);

/* After the profile was opened: threads that begin record. trace_on follows when the session runs, so that no thread
 * records one half of a pair of events and not the other. Signals blocked. */
void trace_process_start(void);

/* After its threads were closed. Returns the number of events recorded. Signals blocked. */
uint64_t trace_process_end(void);

/* A thread's beginning and end, by itself; and its end at the exit of the process, by another. Signals blocked. Who
 * joins the thread waits for all that it does until it is gone: that is no time of the program up to its END, which
 * trace_thread_ended() records, as the last thing that is done for the thread. */
void trace_thread_start(struct hot *h);
void trace_thread_end(struct hot *h);
void trace_thread_ended(struct hot *h);
void trace_thread_close(struct hot *h);

/* The calling thread is that of a forked child: its START is recorded, as of now, when it records something. */
void trace_child_begins(uint64_t token);

/* A manual region begins or ends: PCOMP_EVENT_ENTER, PCOMP_EVENT_EXIT. */
void trace_region(const char *name, enum pcomp_event_kind kind);

/* For jumps: the number of open activations, from an arbitrary positive origin, and the return to such a depth. 0 where
 * nothing is recorded. */
uint64_t trace_depth(void);
void trace_restore(uint64_t depth);

/* The calling thread jumped otherwise, as an exception does. */
void trace_jumped(void);

/* The hooks of the thread record without ado as far as they may. */
void trace_set_limits(struct hot *h);

void trace_pause(void);
void trace_resume(void);

/* The calling thread is about to load a library. */
void trace_loads_library(void);

/* Addresses of functions may have got another meaning. */
void trace_forget_functions(void);

/* This process is `rank` of `world`. Any thread. */
void trace_set_rank(int rank, int world);

/* As pcomp_trace_protocols() of instrument/trace_api.h. */
void trace_set_protocols(uint64_t eager_most, uint64_t rendezvous_least);

/* As pcomp_trace_offset() of instrument/trace_api.h. */
void trace_set_offset(int which, uint64_t tick, int64_t offset, uint64_t error);

#endif
