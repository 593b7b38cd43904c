/* The map of a module's sleds: section xray_instr_map, version 2, as clang -fxray-instrument and our gcc plugin leave
 * it. Its address stands in the module's file alone, in the section headers; the map itself is read in memory.
 *
 *   entry, 32 bytes:  | sled - entry | function - (entry + 8) | kind | always | version = 2 | 13 zeros |
 *
 *   kind             bytes of the sled, 11
 *   0 enter          eb 09, a no-op of 9 (clang); or one no-op of 11 (our plugin)
 *   1 return         c3, a no-op of 10
 *   2 tail call      as enter; also in front of a return that is not c3 */
#ifndef PCOMP_SLED_MAP_H
#define PCOMP_SLED_MAP_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define SLED_SIZE 11u

enum sled_kind { SLED_ENTER = 0, SLED_RETURN = 1, SLED_TAIL = 2 };

struct sled_map {
    uint64_t start; /* address of the first entry */
    uint32_t count; /* entries; 0: there is no map */
};

struct sled {
    uint64_t address, function;
    enum sled_kind kind;
    bool conditional; /* a tail call by a conditional jump (clang -Os): it needs the flags, and may not be taken */
};

/* Finds the map of a loaded module. Returns NULL, or what is wrong with it; map->count is 0 then. A module whose file
 * cannot be read has none. Opens and closes a descriptor. */
const char *sled_map_find(const struct dl_phdr_info *info, struct sled_map *map);

/* The i-th sled of the code [start, end). Returns NULL, or what is wrong: its version, its place, its bytes. */
const char *sled_map_read(const struct sled_map *map, uint32_t i, uint64_t start, uint64_t end, struct sled *sled);

#endif
