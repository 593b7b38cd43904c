#include "instrument/address_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#define TRIES 256u /* slots looked at: also a full table answers in bounded time */

struct address_table_slot {
    uint64_t address, number;
};

static struct address_table_slot *slots_of(struct address_table *table)
{
    struct address_table_slot *slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE);
    if (slots)
        return slots;
    size_t size = ADDRESS_TABLE_SLOTS * sizeof(*slots);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (__atomic_compare_exchange_n(&table->slots, &slots, memory, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return memory;
    munmap(memory, size); /* another thread was faster */
    return slots;
}

/* The slot of `address`, or the free one that it would have; NULL: there is none. */
static struct address_table_slot *find(struct address_table_slot *slots, uint64_t address)
{
    uint64_t at = (address * 0x9e3779b97f4a7c15u) >> 48;
    for (uint32_t i = 0; i < TRIES; i++, at++) {
        struct address_table_slot *s = &slots[at % ADDRESS_TABLE_SLOTS];
        uint64_t key = __atomic_load_n(&s->address, __ATOMIC_ACQUIRE);
        if (key == address || !key)
            return s;
    }
    return NULL;
}

static struct address_table_slot *claim(struct address_table *table, uint64_t address)
{
    struct address_table_slot *slots = slots_of(table), *s;
    while (slots && (s = find(slots, address))) {
        uint64_t none = 0;
        if (__atomic_load_n(&s->address, __ATOMIC_ACQUIRE) == address ||
            __atomic_compare_exchange_n(&s->address, &none, address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return s;
    }
    return NULL;
}

uint64_t address_table_get(const struct address_table *table, const void *address)
{
    struct address_table_slot *slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE);
    struct address_table_slot *s = slots ? find(slots, (uint64_t)(uintptr_t)address) : NULL;
    if (!s || __atomic_load_n(&s->address, __ATOMIC_ACQUIRE) != (uint64_t)(uintptr_t)address)
        return 0;
    return __atomic_load_n(&s->number, __ATOMIC_ACQUIRE);
}

void address_table_put(struct address_table *table, const void *address, uint64_t number)
{
    struct address_table_slot *s = claim(table, (uint64_t)(uintptr_t)address);
    if (s)
        __atomic_store_n(&s->number, number, __ATOMIC_RELEASE);
}

void address_table_raise(struct address_table *table, const void *address, uint64_t number)
{
    struct address_table_slot *s = claim(table, (uint64_t)(uintptr_t)address);
    uint64_t old = s ? __atomic_load_n(&s->number, __ATOMIC_RELAXED) : 0;
    while (s && old < number &&
           !__atomic_compare_exchange_n(&s->number, &old, number, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}
