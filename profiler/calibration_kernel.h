/* The program whose calls are calibrated where they are counted. The same source with hooks, with hooks that
 * return at once, with such as are off, and as the compiler makes it without. */
#ifndef PCOMP_CALIBRATION_KERNEL_H
#define PCOMP_CALIBRATION_KERNEL_H

#define KERNEL_TEXT  "12*(3+45)-7*(81-(6+2)*9)+5*5*(1+2*(3+4))-99+(4*(8-3)+17)*2"
#define KERNEL_CALLS 444 /* of hooked functions in one evaluation of KERNEL_TEXT */

long hooked_kernel(const char *text, unsigned long length);
long bare_kernel(const char *text, unsigned long length);
long off_kernel(const char *text, unsigned long length); /* hooks that are off */
long plain_kernel(const char *text, unsigned long length);

#endif
