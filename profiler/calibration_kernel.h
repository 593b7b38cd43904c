/* The program whose calls are calibrated where they are counted: a recursion with as little work of its own as real
 * interpreters and parsers have between two calls. The same source three times: with hooks, with hooks that return at
 * once, and as the compiler makes it without. */
#ifndef PCOMP_CALIBRATION_KERNEL_H
#define PCOMP_CALIBRATION_KERNEL_H

#define KERNEL_DEPTH 10
#define KERNEL_CALLS 177 /* of a kernel called with KERNEL_DEPTH */

long kernel_hooked(long n);
long kernel_bare(long n);
long kernel_plain(long n);

#endif
