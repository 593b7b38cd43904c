/* Private memory that is never given back, shared by all threads, zeroed. */
#ifndef PCOMP_PRIVATE_MEMORY_H
#define PCOMP_PRIVATE_MEMORY_H

#include <stdint.h>

/* NULL: there is none. Locks; any thread. */
void *private_memory(uint64_t size);

/* Child of a fork. */
void private_memory_forget(void);

#endif
