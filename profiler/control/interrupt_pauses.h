/* What a sample of the kernel (perf_ring.h) takes: the pause that its interrupt makes in a loop of ours. */
#ifndef PCOMP_INTERRUPT_PAUSES_H
#define PCOMP_INTERRUPT_PAUSES_H

/* Seconds; 0: the system allows no such samples. The calling thread gets some. At the start of the session, by one
 * thread; takes a millisecond, two where an interrupt takes long. */
double interrupt_pauses_measure(void);

#endif
