/* Loops that wait: those with a pause instruction. Pure; thread-safe. */
#ifndef PCOMP_SPIN_LOOP_H
#define PCOMP_SPIN_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the innermost loop around the instruction at code[at], of `size` bytes, has a pause instruction. Instructions
 * are decoded from `at` on, through the jump back, to `at` again: two bytes of others that look like a pause do not
 * count. False where the loop is longer than a loop that only waits. */
bool spin_loop_pauses(const uint8_t *code, uint64_t size, uint64_t at);

#endif
