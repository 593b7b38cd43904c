/*
 * The sleds of a linked x86-64 program or library, as its file has them: section xray_instr_map (pcomp-sleds(5)), and
 * the symbols of its functions. Addresses are those of the file, before loading. Not thread-safe; nothing is freed.
 */
#ifndef PCOMP_SLED_FILE_H
#define PCOMP_SLED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLED_ENTRY, SLED_RETURN, SLED_TAIL, SLED_SIZE = 11, SLED_RECORD_SIZE = 32 };

struct sled {
    uint64_t address;
    uint64_t function;
    uint8_t kind;
    uint8_t always;
    uint8_t version;
    bool padded; // the last 13 bytes are zero
};

struct sled_symbol {
    const char *name;
    uint64_t address;
    uint64_t size; // bytes
};

struct sled_map {
    const unsigned char *file;
    size_t file_size; // bytes
    struct sled *sleds;
    size_t sled_count;
    size_t odd_bytes; // of the section, behind the last whole record
    struct sled_symbol *functions;
    size_t function_count;
    size_t map_sections; // of that name; 0: the program has no map
    uint64_t entry_point;
};

/* False, with a message on stderr, where the file cannot be read or is not of that kind. */
bool sled_map_read(const char *path, struct sled_map *map);

/* `size` bytes of the program's image as the file holds them; null where it does not. */
const unsigned char *sled_map_bytes(const struct sled_map *map, uint64_t address, size_t size);

/* The function that starts there; null: none. */
const struct sled_symbol *sled_map_function_at(const struct sled_map *map, uint64_t address);

/* `symbol` is called `name`, or is a copy that gcc made of a function of that name: NAME.constprop.0, NAME.lto_priv.0.
 */
bool sled_map_is_called(const struct sled_symbol *symbol, const char *name);

#endif
