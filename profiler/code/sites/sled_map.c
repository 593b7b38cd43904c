#include "profiler/code/sites/sled_map.h"

#include "profiler/base/raw_call.h"
#include "profiler/code/arch/x86_64/instruction.h"
#include "profiler/code/modules/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY_SIZE    32u
#define VERSION       2u
#define SECTIONS_MAX  65536u
#define BATCH         64u
#define LOG_ARGUMENTS 3u /* an enter of a function with the attribute xray_log_args */

static const char section_name[] = "xray_instr_map";

/* --- the section headers ---------------------------------------------------------------------------------------------
 */

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Whether the section's name is ours; `names` is the section of names. */
static bool is_map(int fd, const ElfW(Shdr) * names, const ElfW(Shdr) * section)
{
    char name[sizeof(section_name)];
    return (section->sh_flags & SHF_ALLOC) && section->sh_name < names->sh_size &&
           read_at(fd, name, sizeof(name), names->sh_offset + section->sh_name) &&
           memcmp(name, section_name, sizeof(name)) == 0;
}

static bool find_section(int fd, ElfW(Shdr) * found)
{
    ElfW(Ehdr) header;
    ElfW(Shdr) names, batch[BATCH];
    if (!read_at(fd, &header, sizeof(header), 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(ElfW(Shdr)) || !header.e_shoff)
        return false;
    uint32_t count = header.e_shnum, names_at = header.e_shstrndx;
    if (count == 0 || names_at == SHN_XINDEX) { /* too many for the header: the first section says */
        if (!read_at(fd, &names, sizeof(names), header.e_shoff))
            return false;
        count = count ? count : (uint32_t)names.sh_size;
        names_at = names_at == SHN_XINDEX ? names.sh_link : names_at;
    }
    if (count > SECTIONS_MAX || names_at >= count ||
        !read_at(fd, &names, sizeof(names), header.e_shoff + names_at * sizeof(names)))
        return false;
    for (uint32_t i = 0; i < count; i += BATCH) {
        uint32_t here = count - i < BATCH ? count - i : BATCH;
        if (!read_at(fd, batch, here * sizeof(batch[0]), header.e_shoff + i * sizeof(batch[0])))
            return false;
        for (uint32_t k = 0; k < here; k++)
            if (is_map(fd, &names, &batch[k])) {
                *found = batch[k];
                return true;
            }
    }
    return false;
}

/* --- the map ---------------------------------------------------------------------------------------------------------
 */

static bool is_loaded(const struct dl_phdr_info *info, uint64_t start, uint64_t size)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && start >= from && size <= p->p_filesz &&
            start - from <= p->p_filesz - size)
            return true;
    }
    return false;
}

const char *sled_map_find(const struct dl_phdr_info *info, struct sled_map *map)
{
    char path[EXECUTABLE_PATH];
    const char *name = info->dlpi_name;
    ElfW(Shdr) section = {0};
    map->count = 0;
    int fd = open(name && *name ? name : executable_file(path), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    bool found = find_section(fd, &section);
    descriptor_close(fd);
    if (!found || !section.sh_size)
        return NULL;
    uint64_t start = info->dlpi_addr + section.sh_addr;
    if (section.sh_size % ENTRY_SIZE != 0 || section.sh_size / ENTRY_SIZE > UINT32_MAX)
        return "a sled map whose entries are not of 32 bytes";
    if (!is_loaded(info, start, section.sh_size))
        return "a sled map that is not loaded where its file says";
    map->start = start;
    map->count = (uint32_t)(section.sh_size / ENTRY_SIZE);
    return NULL;
}

/* Whether the `count` bytes at `at` are no-ops (90; 0f 1f with prefixes), to the last one. */
static bool are_no_ops(const uint8_t *at, unsigned count)
{
    for (unsigned length, opcode; count; at += length, count -= length) {
        length = instruction_length(at, count, &opcode);
        if (!length || length > count || !(at[opcode] == 0x90 || (at[opcode] == 0x0f && at[opcode + 1] == 0x1f)))
            return false;
    }
    return true;
}

/* No thread stands inside a sled: it is one instruction, or one is never executed behind the jump or the return. */
static bool has_bytes_of(const uint8_t *bytes, enum sled_kind kind)
{
    unsigned opcode;
    if (kind == SLED_RETURN)
        return bytes[0] == 0xc3 && are_no_ops(bytes + 1, SLED_SIZE - 1);
    if (instruction_length(bytes, SLED_SIZE, &opcode) == SLED_SIZE)
        return are_no_ops(bytes, SLED_SIZE);
    return bytes[0] == 0xeb && bytes[1] == SLED_SIZE - 2 && are_no_ops(bytes + 2, SLED_SIZE - 2);
}

/* Whether the instruction at `at` is a jump that depends on the flags. */
static bool is_conditional_jump(const uint8_t *at, uint64_t left)
{
    unsigned opcode, length = instruction_length(at, left, &opcode);
    return length && ((at[opcode] & 0xf0) == 0x70 || (at[opcode] == 0x0f && (at[opcode + 1] & 0xf0) == 0x80));
}

const char *sled_map_read(const struct sled_map *map, uint32_t i, uint64_t start, uint64_t end, struct sled *sled)
{
    uint64_t entry = map->start + (uint64_t)i * ENTRY_SIZE;
    struct {
        int64_t sled, function;
        uint8_t kind, always, version, zeros[13];
    } e;
    memcpy(&e, (const void *)(uintptr_t)entry, sizeof(e)); // NOLINT(performance-no-int-to-ptr)
    if (e.version != VERSION)
        return "a sled map of another version than 2";
    if (e.kind == LOG_ARGUMENTS)
        e.kind = SLED_ENTER;
    if (e.kind != SLED_ENTER && e.kind != SLED_RETURN && e.kind != SLED_TAIL)
        return "sleds that are neither enter nor exit";
    sled->address = entry + (uint64_t)e.sled;
    sled->function = entry + 8 + (uint64_t)e.function;
    sled->kind = e.kind;
    if (sled->address < start || sled->address > end - SLED_SIZE || sled->function < start || sled->function >= end)
        return "a sled map that leads out of the code";
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)sled->address; // NOLINT(performance-no-int-to-ptr)
    if (!has_bytes_of(bytes, sled->kind))
        return "a sled whose bytes are not what the map says";
    sled->conditional =
        sled->kind == SLED_TAIL && is_conditional_jump(bytes + SLED_SIZE, end - sled->address - SLED_SIZE);
    return NULL;
}
