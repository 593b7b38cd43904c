/* Arrays that double when they are full. */
#ifndef PCOMP_ARRAY_H
#define PCOMP_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for element `count` of `items`, a pointer with room for `room` elements (uint32_t or size_t). False, and nothing
 * changed: out of memory, or more than the type of room can say. New elements are not initialized. */
#define ARRAY_ROOM(items, count, room)                                                                                 \
    ((count) < (room) || array_double(&(items), sizeof *(items), &(room), sizeof(room)))

/* items: address of the pointer. */
static inline bool array_double(void *items, size_t size, void *room, size_t room_size)
{
    enum { FIRST = 16 };
    bool small = room_size == sizeof(uint32_t);
    uint32_t room32 = 0;
    size_t wanted;
    void *array, *grown;
    memcpy(small ? (void *)&room32 : &wanted, room, room_size);
    wanted = small ? room32 : wanted;
    wanted = wanted ? 2 * wanted : FIRST;
    room32 = (uint32_t)wanted;
    if ((small && room32 != wanted) || wanted > PTRDIFF_MAX / size)
        return false;
    memcpy(&array, items, sizeof array);
    grown = realloc(array, wanted * size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    memcpy(room, small ? (void *)&room32 : &wanted, room_size);
    /* cppcheck-suppress memleak; `items` has it */
    return true;
}

#endif
