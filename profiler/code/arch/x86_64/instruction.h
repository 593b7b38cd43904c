/* Lengths of x86-64 instructions, for reading a function from its start. Pure; thread-safe. */
#ifndef PCOMP_INSTRUCTION_H
#define PCOMP_INSTRUCTION_H

#include <stdint.h>

/* Bytes of the instruction at `at`, of which at most `left` may be read (64-bit mode). 0: none that is known.
 * Where the opcode begins behind prefixes is stored in *opcode, as an offset. */
unsigned instruction_length(const uint8_t *at, uint64_t left, unsigned *opcode);

#endif
