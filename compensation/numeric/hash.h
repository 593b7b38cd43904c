/* FNV-1a, of bytes and of texts: http://www.isthe.com/chongo/tech/comp/fnv */
#ifndef PCOMP_HASH_H
#define PCOMP_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PCOMP_HASH_START 0xcbf29ce484222325u /* of nothing */

/* `hash` with `size` bytes behind what is in it. */
static inline uint64_t pcomp_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* The same with a text, without the NUL at its end. */
static inline uint64_t pcomp_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = pcomp_hash_bytes(hash, text, 1);
    return hash;
}

#endif
