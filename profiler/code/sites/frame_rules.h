/* DWARF call frame information, as .eh_frame has it: from the registers inside a function to those of its caller.
 * x86-64. Pure but for reading the stack, or the copy of one; thread-safe. */
#ifndef PCOMP_FRAME_RULES_H
#define PCOMP_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum { FRAME_SP = 7, FRAME_PC = 16, FRAME_REGISTERS = 17 }; /* by their numbers in DWARF */

struct frame_registers {
    uint64_t value[FRAME_REGISTERS]; /* those that a call keeps, the stack pointer, and the return address as pc */
};

struct frame_stack {
    uint64_t low, high;   /* the addresses that can be read */
    const uint8_t *bytes; /* what lies, or lay, there */
};

/* `entry`: the function's frame description entry, with 4-byte addresses relative to where they stand. `pc`: where in
 * it to look. False: the rules are of a kind that is not understood, or lead elsewhere. */
bool frame_rules_step(const uint8_t *entry, uint64_t pc, const struct frame_stack *stack,
                      struct frame_registers *registers);

#endif
