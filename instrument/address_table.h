/* Numbers kept by address (participants of a barrier, token of a thread), read and written by any thread without a
 * lock. An address keeps its slot for ever, so a table serves about as many different addresses as it has slots; where
 * there is no room, or no memory, the number of an address is 0, which means "not known". */
#ifndef PCOMP_ADDRESS_TABLE_H
#define PCOMP_ADDRESS_TABLE_H

#include <stdint.h>

#define ADDRESS_TABLE_SLOTS 65536u

struct address_table { /* zeros to begin with */
    struct address_table_slot *slots;
};

/* The number last put; 0: none. */
uint64_t address_table_get(const struct address_table *table, const void *address);

/* Not from a signal handler. */
void address_table_put(struct address_table *table, const void *address, uint64_t number);

/* The same, unless a greater number is there. */
void address_table_raise(struct address_table *table, const void *address, uint64_t number);

#endif
