/* The reader of sled maps: whatever the file says, and whatever stands where the map should be, each entry is a sled
 * inside the code, or refused. The input is the file, and the memory that it is loaded to. */
#include "profiler/code/sites/sled_map.h"
#include "tests/fuzz/fuzz_seeds.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENTRIES_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_sled_map: not so: %s\n", what);
    abort();
}

static void read_entries(const struct sled_map *map, uint64_t start, uint64_t size)
{
    struct sled sled;
    require(map->start >= start && map->count <= size / 32 && map->start - start <= size - 32 * (uint64_t)map->count,
            "the map is loaded");
    for (uint32_t i = 0; i < map->count && i < ENTRIES_MAX; i++)
        if (!sled_map_read(map, i, start, start + size, &sled))
            require(sled.address >= start && sled.address + SLED_SIZE <= start + size && sled.function >= start &&
                        sled.function < start + size && sled.kind <= SLED_TAIL,
                    "the sled is inside the code");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct sled_map map;
    uint8_t *image = malloc(size + 1); /* not longer: a sanitizer sees what is read behind it */
    int fd = memfd_create("module", MFD_CLOEXEC);
    require(image && fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is memory");
    memcpy(image, data, size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    Elf64_Phdr load = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = size, .p_memsz = size};
    struct dl_phdr_info info = {
        .dlpi_addr = (uint64_t)(uintptr_t)image, .dlpi_name = path, .dlpi_phdr = &load, .dlpi_phnum = 1};
    const char *wrong = sled_map_find(&info, &map);
    require(!wrong || !map.count, "a map that is wrong has no entries");
    if (map.count)
        read_entries(&map, (uint64_t)(uintptr_t)image, size);
    free(image);
    close(fd);
    return 0;
}

/* Seed i: a file with i sleds of each kind, and more sections the higher i is. */
uint8_t *fuzz_seed(unsigned i, size_t *size)
{
    static const char names[] = "\0.shstrtab\0xray_instr_map",
                      sleds[2][12] = {"\xeb\x09\x66\x0f\x1f\x84\x00\x00\x02\x00\x00",
                                      "\xc3\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00"};
    unsigned sections = 3 + 20 * i, count = 3 * i;
    size_t code = sizeof(Elf64_Ehdr) + sections * sizeof(Elf64_Shdr) + 64, map = code + 16 * (size_t)count;
    *size = map + 32 * (size_t)count;
    uint8_t *file = calloc(1, *size);
    if (!file)
        return NULL;
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                         .e_shoff = sizeof(Elf64_Ehdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = (uint16_t)sections,
                         .e_shstrndx = 1};
    Elf64_Shdr texts = {.sh_name = 1, .sh_offset = code - 64, .sh_size = sizeof(names)};
    Elf64_Shdr section = {.sh_name = 11, .sh_flags = SHF_ALLOC, .sh_addr = map, .sh_size = 32 * (uint64_t)count};
    memcpy(file, &header, sizeof(header));
    memcpy(file + header.e_shoff + sizeof(texts), &texts, sizeof(texts));
    memcpy(file + header.e_shoff + (sections - 1) * sizeof(section), &section, sizeof(section));
    memcpy(file + code - 64, names, sizeof(names));
    for (unsigned k = 0; k < count; k++) {
        size_t at = map + 32 * (size_t)k, sled = code + 16 * (size_t)k;
        int64_t places[2] = {(int64_t)(sled - at), (int64_t)(code - (at + 8))};
        memcpy(file + sled, sleds[k % 3 == 1], SLED_SIZE);
        memcpy(file + at, places, sizeof(places));
        file[at + 16] = (uint8_t)(k % 3);
        file[at + 18] = 2;
    }
    return file;
}
