/*
 * check_sled_map PROGRAM [has=NAME | lacks=NAME | endless=NAME | tails=NAME | note | no-map]...
 *
 * Holds the sleds of a linked program to pcomp-sleds(5): records, bytes, alignment, addresses; one entry sled a
 * function, and an exit unless the function is `endless`. `tails`: the function has exits, and all of them are of the
 * tail form. `note`: the program carries the plugin's note.
 */
#include "tests/instrument/gcc/sled_file.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sled_map map;
static int failures;

static void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    failures++;
}

static const char *name_at(uint64_t address)
{
    const struct sled_symbol *function = sled_map_function_at(&map, address);
    return function ? function->name : "?";
}

static void check_sled(const struct sled *sled)
{
    static const unsigned char jump[] = {0xeb, 9, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0};
    static const unsigned char no_op[] = {0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0};
    static const unsigned char ret[] = {0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0};
    const char *name = name_at(sled->function);
    unsigned long long address = sled->address;
    if (sled->version != 2 || sled->always != 0 || !sled->padded)
        complain("%s: record of sled %llx: version %d, always %d, padding %s", name, address, sled->version,
                 sled->always, sled->padded ? "zero" : "not zero");
    if (sled->kind > SLED_TAIL)
        complain("%s: sled %llx: kind %d", name, address, sled->kind);
    if (strcmp(name, "?") == 0)
        complain("sled %llx: no function starts at %llx", address, (unsigned long long)sled->function);
    if (address % 2)
        complain("%s: sled %llx is not aligned", name, address);
    const unsigned char *bytes = sled_map_bytes(&map, address, SLED_SIZE);
    bool right =
        bytes && (sled->kind == SLED_RETURN ? !memcmp(bytes, ret, SLED_SIZE)
                                            : !memcmp(bytes, jump, SLED_SIZE) || !memcmp(bytes, no_op, SLED_SIZE));
    if (!right)
        complain("%s: sled %llx of kind %d has other bytes", name, address, sled->kind);
    for (const struct sled *other = map.sleds; other < sled; other++)
        if (other->address < address + SLED_SIZE && address < other->address + SLED_SIZE)
            complain("%s: sled %llx overlaps with %llx", name, address, (unsigned long long)other->address);
}

static size_t count_sleds(uint64_t function, unsigned int kind)
{
    size_t count = 0;
    for (size_t i = 0; i < map.sled_count; i++)
        count += map.sleds[i].function == function && map.sleds[i].kind == kind;
    return count;
}

static int is_endless(uint64_t function, char **words)
{
    for (; *words; words++)
        for (size_t i = 0; i < map.function_count; i++)
            if (strncmp(*words, "endless=", 8) == 0 && map.functions[i].address == function &&
                sled_map_is_called(&map.functions[i], *words + 8))
                return 1;
    return 0;
}

static void check_function(uint64_t function, char **words)
{
    size_t exits = count_sleds(function, SLED_RETURN) + count_sleds(function, SLED_TAIL);
    if (count_sleds(function, SLED_ENTRY) != 1)
        complain("%s: %zu entry sleds", name_at(function), count_sleds(function, SLED_ENTRY));
    for (char **word = words; *word; word++)
        if (strcmp(*word, "endless=*") == 0)
            return; // any function may have no exit
    if (is_endless(function, words) ? exits != 0 : exits == 0)
        complain("%s: %zu exit sleds", name_at(function), exits);
}

static void check_word(const char *word)
{
    const char *name = strchr(word, '=');
    size_t found = 0, returns = 0, tails = 0;
    for (size_t i = 0; name && i < map.function_count; i++)
        if (sled_map_is_called(&map.functions[i], name + 1)) {
            found += count_sleds(map.functions[i].address, SLED_ENTRY);
            returns += count_sleds(map.functions[i].address, SLED_RETURN);
            tails += count_sleds(map.functions[i].address, SLED_TAIL);
        }
    if (strcmp(word, "note") == 0) {
        static const unsigned char note[] = "\6\0\0\0\4\0\0\0\1\0\0\0pcomp\0\0\0\1\0\0"; // and the last zero
        for (size_t at = 0; at + sizeof note <= map.file_size; at += 4)
            if (memcmp(map.file + at, note, sizeof note) == 0)
                return;
        complain("no note");
    } else if (strcmp(word, "no-map") == 0) {
        if (map.map_sections)
            complain("there is a map");
    } else if (!name) {
        complain("%s: not a word of this program", word);
    } else if (word[0] == 'e') {
        return; // check_function() looks
    } else if (word[0] == 'l' ? found != 0 : found == 0) {
        complain("%s: %zu functions of that name have sleds", word, found);
    } else if (word[0] == 't' && (returns != 0 || tails == 0)) {
        complain("%s: %zu returns, %zu tails", word, returns, tails);
    }
}

int main(int count, char **words)
{
    if (count < 2 || !sled_map_read(words[1], &map))
        return 2;
    if (map.odd_bytes)
        complain("the map has %zu bytes behind its last record", map.odd_bytes);
    for (size_t i = 0; i < map.sled_count; i++) {
        check_sled(&map.sleds[i]);
        if (map.sleds[i].kind == SLED_ENTRY)
            check_function(map.sleds[i].function, words + 2);
        else if (!count_sleds(map.sleds[i].function, SLED_ENTRY))
            complain("%s: an exit without an entry", name_at(map.sleds[i].function));
    }
    for (char **word = words + 2; *word; word++)
        check_word(*word);
    printf("%s: %zu sleds\n", words[1], map.sled_count);
    return failures != 0;
}
