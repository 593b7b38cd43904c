/* For our own use of setjmp, which lies in pthread_cleanup_push. */
#ifndef PCOMP_JUMPS_H
#define PCOMP_JUMPS_H

#include <stdbool.h>

/* While true, a setjmp of this thread is not remembered: nothing of the program returns there. */
extern __thread bool jumps_unmarked __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
