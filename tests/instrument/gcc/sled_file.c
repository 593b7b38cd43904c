#include "tests/instrument/gcc/sled_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_sleds(struct sled_map *map, const Elf64_Shdr *section)
{
    size_t count = section->sh_size / SLED_RECORD_SIZE;
    map->map_sections++;
    map->odd_bytes += section->sh_size % SLED_RECORD_SIZE;
    map->sleds = realloc(map->sleds, (map->sled_count + count) * sizeof *map->sleds);
    for (size_t i = 0; i < count; i++) {
        static const unsigned char zeros[13];
        const unsigned char *record = map->file + section->sh_offset + i * SLED_RECORD_SIZE;
        uint64_t address = section->sh_addr + i * SLED_RECORD_SIZE;
        int64_t to_sled, to_function;
        memcpy(&to_sled, record, sizeof to_sled);
        memcpy(&to_function, record + 8, sizeof to_function);
        map->sleds[map->sled_count++] = (struct sled){
            .address = address + (uint64_t)to_sled,
            .function = address + 8 + (uint64_t)to_function,
            .kind = record[16],
            .always = record[17],
            .version = record[18],
            .padded = memcmp(record + 19, zeros, sizeof zeros) == 0,
        };
    }
}

static void read_functions(struct sled_map *map, const Elf64_Shdr *sections, const Elf64_Shdr *table)
{
    const Elf64_Sym *symbols = (const void *)(map->file + table->sh_offset);
    const char *names = (const char *)map->file + sections[table->sh_link].sh_offset;
    map->functions = malloc(table->sh_size / sizeof *symbols * sizeof *map->functions);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF)
            map->functions[map->function_count++] =
                (struct sled_symbol){names + symbols[i].st_name, symbols[i].st_value, symbols[i].st_size};
}

bool sled_map_read(const char *path, struct sled_map *map)
{
    memset(map, 0, sizeof *map);
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && (size_t)status.st_size > sizeof(Elf64_Ehdr))
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    const Elf64_Ehdr *header = bytes;
    if (bytes == MAP_FAILED || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_X86_64 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type == ET_REL) {
        fprintf(stderr, "%s: not a linked x86-64 file\n", path);
        return false;
    }
    map->file = bytes;
    map->file_size = (size_t)status.st_size;
    map->entry_point = header->e_entry;
    const Elf64_Shdr *sections = (const void *)(map->file + header->e_shoff);
    const char *names = (const char *)map->file + sections[header->e_shstrndx].sh_offset;
    for (unsigned int i = 0; i < header->e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, "xray_instr_map") == 0)
            read_sleds(map, &sections[i]);
        if (sections[i].sh_type == SHT_SYMTAB)
            read_functions(map, sections, &sections[i]);
    }
    return true;
}

const unsigned char *sled_map_bytes(const struct sled_map *map, uint64_t address, size_t size)
{
    const Elf64_Ehdr *header = (const void *)map->file;
    const Elf64_Phdr *segments = (const void *)(map->file + header->e_phoff);
    for (unsigned int i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
            address + size <= segments[i].p_vaddr + segments[i].p_filesz)
            return map->file + segments[i].p_offset + (address - segments[i].p_vaddr);
    return NULL;
}

const struct sled_symbol *sled_map_function_at(const struct sled_map *map, uint64_t address)
{
    for (size_t i = 0; i < map->function_count; i++)
        if (map->functions[i].address == address)
            return &map->functions[i];
    return NULL;
}

bool sled_map_is_called(const struct sled_symbol *symbol, const char *name)
{
    size_t length = strlen(name);
    return strncmp(symbol->name, name, length) == 0 && (symbol->name[length] == 0 || symbol->name[length] == '.');
}
