/* Values in vector registers that code keeps across a call: no register of these survives one, so that they go to the
 * stack and come back. A hook call that does nothing, or is a no-op, costs the program that round trip. */
#ifndef PCOMP_KEPT_VECTORS_H
#define PCOMP_KEPT_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the code at `at`, right behind a call, takes such a value from the stack before its next call or jump; at
 * most `left` bytes may be read. Pure; thread-safe. */
bool kept_vectors_return(const uint8_t *at, uint64_t left);

/* A chain of so many round trips of one value, for the clock. */
void kept_vectors_trips(uint32_t count);

#endif
