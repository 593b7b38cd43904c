/* Uninstrumented frames between an instrumented caller and callee, through libunwind, which is loaded only when they
 * are asked for (dlopen, RTLD_LOCAL: Debian's libunwind exports _Unwind_* and must not replace the program's unwinder).
 */
#ifndef PCOMP_NATIVE_FRAMES_H
#define PCOMP_NATIVE_FRAMES_H

#include <stdint.h>

/* Loads libunwind. NULL, or what is wrong (static text). Once a session. */
const char *native_frames_start(void);

/* Return addresses of the frames whose stack addresses lie between that of the callee's hook and that of its
 * instrumented caller, as a text of hexadecimal numbers, outermost first; its link, 0: none. Signals blocked. */
uint64_t native_frames_between(uint64_t caller_sp, uint64_t callee_sp);

#endif
