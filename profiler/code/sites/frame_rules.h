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

/* Registers that have a rule: those that a call keeps, and the pc. */
enum { FRAME_RULES = 7 };

struct frame_rule {
    int32_t value;
    uint8_t kind;
};

/* How the registers of the caller are had from those at one place in a function. Copied, so it is small. */
struct frame_row {
    unsigned base; /* the frame's address (CFA) is this register plus offset ... */
    int64_t offset;
    const uint8_t *expression; /* ... or what this says, in the module's table; NULL: not so */
    struct frame_rule rules[FRAME_RULES];
};

/* The registers where it stands, as far as the rules of frames need them. */
static inline __attribute__((always_inline)) void frame_registers_read(struct frame_registers *r)
{
    *r = (struct frame_registers){{0}};
#if defined(__x86_64__)
    __asm__ volatile("movq %%rbx, 24(%0)\n"
                     "movq %%rbp, 48(%0)\n"
                     "movq %%rsp, 56(%0)\n"
                     "movq %%r12, 96(%0)\n"
                     "movq %%r13, 104(%0)\n"
                     "movq %%r14, 112(%0)\n"
                     "movq %%r15, 120(%0)\n"
                     "leaq 1f(%%rip), %%rax\n"
                     "1: movq %%rax, 128(%0)\n"
                     :
                     : "r"(r)
                     : "rax", "memory");
#endif
}

/* `entry`: the function's frame description entry, with 4-byte addresses relative to where they stand. `pc`: where in
 * it to look. False: the rules are of a kind that is not understood. */
bool frame_rules_find(const uint8_t *entry, uint64_t pc, struct frame_row *row);

/* False, and the registers are as before: the row leads out of the stack, or is of a kind that is not understood. */
bool frame_rules_apply(const struct frame_row *row, const struct frame_stack *stack, struct frame_registers *registers);

#endif
