/* Where the threads are while hooks are off: samples of the program counter, taken by the kernel (perf_event_open, the
 * software event cpu-clock) at equal distances of a thread's processor time. No signal, and no descriptor stays open:
 * the mapping of a thread's buffer keeps its event alive.
 *
 *   hooks    ████░░░░░░░░░░░░░░░░░░░░░░███░░░░░░░░░░░░░░░░░░░░██
 *   samples    . |  ^   ^   ^   ^   ^ | . |   ^   ^   ^   ^   ^|
 *                     counted            apart
 *
 * A sample brings a copy of the innermost part of the stack, in which the innermost function with hooks is looked for:
 * what the program does in a library is that function's own time. Samples are counted in the profile (struct
 * pcomp_sample); which function an address belongs to, inlined ones included, is found out by the reader.
 *
 * Where the system allows no samples there are none, and bursts alone tell. Called by the thread of profiler/bursts.c,
 * but for pc_sampling_forget. x86-64. */
#ifndef PCOMP_PC_SAMPLING_H
#define PCOMP_PC_SAMPLING_H

#include <stdbool.h>

/* Before the first sample; takes some milliseconds of a processor. share: what sampling may cost, of the program's
 * time. */
void pc_sampling_prepare(double share);

/* Samples the threads that live now and are not sampled yet. */
void pc_sampling_begin(void);

/* Counts the samples since the last time: no hook ran (counted), or some did (apart). Returns what they cost the thread
 * that had most of them, ticks. */
double pc_sampling_look(bool off);

/* What sampling costs, share of the program's time. */
double pc_sampling_share(void);

/* Ends it; pc_sampling_begin begins again. */
void pc_sampling_end(void);

/* Child of a fork: the buffers are the parent's, and not mapped here. */
void pc_sampling_forget(void);

#endif
