/* The machine's own call stack, by the unwind tables of the modules: which functions are active, whatever hooks were
 * seen. Enough of DWARF's call frame information for what compilers emit; where that ends (a signal frame, code without
 * tables), so does unwinding. Reads nothing but those tables and the stack between the bounds given. x86-64.
 *
 * Any thread, with signals blocked; call_frames_places, also one that has no errno and no locks of the dynamic linker.
 */
#ifndef PCOMP_CALL_FRAMES_H
#define PCOMP_CALL_FRAMES_H

#include "profiler/code/sites/frame_rules.h"

/* True where modules are unloaded with the consent of call_frames_unload (instrument/interposed.c, which libpcomp.a
 * does not have). */
extern bool call_frames_unloads_intercepted;

struct frame_place {
    uint64_t pc; /* an address inside the call, or where the innermost frame is */
    uint64_t below,
        above; /* its part of the stack, between the frames of what it calls and of its caller; 0: not known */
};

/* All frames of a thread with these registers and stack, innermost first, as far as they are known: out[0] up to the
 * returned number. A slot of a site is no frame. Looks only into modules that were
 * registered, and where unloading is not announced only into the one that this library is in. */
unsigned call_frames_places(const struct frame_registers *registers, const struct frame_stack *stack,
                            struct frame_place *out, unsigned room);

/* From an innermost function without tables, as assembly has them, to its caller, where all that it has on the stack is
 * the return address, behind a call: *frame is the function, registers->value[FRAME_PC] is inside the call. False:
 * else, and where there are tables. */
bool call_frames_leaf(struct frame_registers *registers, const struct frame_stack *stack, struct frame_place *frame);

/* Whether both addresses lie in one function that has tables. */
bool call_frames_in_one_function(uint64_t pc, uint64_t other);

/* From one frame to its caller: registers->value[FRAME_PC] is then inside the call. False: the frame is not known. */
bool call_frames_step(struct frame_registers *registers, const struct frame_stack *stack);

/* Around the unloading of a module, with `done` behind it: nobody looks into modules meanwhile. Any thread.
 * call_frames_read_begin: false while that is so; else call_frames_read_end follows. */
void call_frames_unload(bool done);
bool call_frames_read_begin(void);
void call_frames_read_end(void);

/* Meets all modules that are loaded now. */
void call_frames_register_all(void);

/* The module at [start, end) is no longer loaded. */
void call_frames_forget(uint64_t start, uint64_t end);

/* Child of a fork. */
void call_frames_fork(void);

#endif
