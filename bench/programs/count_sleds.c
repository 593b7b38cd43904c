/* Sleds that only count: the truth that the profiler's counts are held against. x86-64.
 *
 * Preloaded into a program with sleds. Before main it reads the map of each module's sleds from the module's file, and
 * turns each entry sled into a call of a piece of code of its own, which increments that function's counter:
 *
 *     sled:   call piece, a no-op of 6          piece:   lock incq counter(%rip) / ret
 *
 * At exit writes a line "HEXADDRESS COUNT MODULE" a function to $BENCH_COUNTS; the address is that of the ELF file. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_ENTRY = 32, ENTER = 0, SLED = 11, PIECE = 16, MODULES = 64 };

struct counted_module {
    uint64_t base;
    const char *name;
    uint64_t *functions, *counters; /* of each entry sled */
    unsigned count;
};
static struct counted_module modules[MODULES];
static unsigned module_count;

static const unsigned char *read_file(const char *path, size_t *size)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *file = MAP_FAILED;
    if (fd >= 0 && !fstat(fd, &info) && info.st_size > (off_t)sizeof(Elf64_Ehdr))
        file = mmap(NULL, *size = (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    return file == MAP_FAILED ? NULL : file;
}

/* The section's address in the ELF file and its size. */
static uint64_t find_map(const char *path, uint64_t *map_size)
{
    size_t size;
    const unsigned char *file = read_file(path, &size);
    uint64_t address = 0;
    if (!file)
        return 0;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    if (!memcmp(file, ELFMAG, SELFMAG) && header->e_shoff + header->e_shnum * sizeof(*sections) <= size) {
        const char *names = (const char *)file + sections[header->e_shstrndx].sh_offset;
        for (int i = 0; i < header->e_shnum; i++)
            if (!strcmp(names + sections[i].sh_name, "xray_instr_map")) {
                address = sections[i].sh_addr;
                *map_size = sections[i].sh_size;
            }
    }
    munmap((void *)(uintptr_t)file, size);
    return address;
}

static void *near_room(uint64_t code, size_t size)
{
    for (uint64_t away = UINT64_C(1) << 24; away < UINT64_C(1) << 30 && away < code; away += UINT64_C(1) << 22) {
        void *wanted = (void *)(uintptr_t)((code - away) & ~UINT64_C(4095));
        void *got = mmap(wanted, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != MAP_FAILED)
            return got;
    }
    return NULL;
}

static void put_call(unsigned char *at, const unsigned char *target)
{
    int32_t distance = (int32_t)(target - (at + 5));
    at[0] = 0xe8;
    memcpy(at + 1, &distance, sizeof distance);
    memcpy(at + 5, "\x66\x0f\x1f\x44\x00\x00", 6);
}

static void put_piece(unsigned char *at, const uint64_t *counter)
{
    int32_t distance = (int32_t)((const unsigned char *)counter - (at + 8));
    memcpy(at, "\xf0\x48\xff\x05", 4);
    memcpy(at + 4, &distance, sizeof distance);
    at[8] = 0xc3;
}

static int64_t relative(const unsigned char *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void turn_on(struct counted_module *m, const unsigned char *map, unsigned entries, unsigned char *pieces)
{
    for (unsigned i = 0; i < entries; i++, map += MAP_ENTRY) {
        if (map[16] != ENTER)
            continue;
        unsigned char *sled = (unsigned char *)(uintptr_t)map + relative(map);
        m->functions[m->count] = (uint64_t)(uintptr_t)map + 8 + (uint64_t)relative(map + 8) - m->base;
        put_piece(pieces + (size_t)m->count * PIECE, &m->counters[m->count]);
        put_call(sled, pieces + (size_t)m->count * PIECE);
        m->count++;
    }
}

static int count_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    uint64_t map_size = 0, address = find_map(path, &map_size);
    unsigned entries = (unsigned)(map_size / MAP_ENTRY);
    (void)size, (void)unused;
    for (int i = 0; address && i < info->dlpi_phnum && module_count < MODULES; i++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        uint64_t start = (info->dlpi_addr + p->p_vaddr) & ~UINT64_C(4095),
                 end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
        size_t room = (size_t)entries * (PIECE + 2 * sizeof(uint64_t));
        unsigned char *pieces = near_room(start, room);
        struct counted_module *m = &modules[module_count++];
        if (!pieces || mprotect((void *)(uintptr_t)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC)) {
            fprintf(stderr, "count_sleds: %s: its sleds could not be turned on\n", path);
            _exit(1);
        }
        m->base = info->dlpi_addr;
        m->name = *info->dlpi_name ? info->dlpi_name : "main";
        m->counters = (uint64_t *)(pieces + (size_t)entries * PIECE);
        m->functions = m->counters + entries;
        turn_on(m, (const unsigned char *)(uintptr_t)(info->dlpi_addr + address), entries, pieces);
        mprotect((void *)(uintptr_t)start, end - start, PROT_READ | PROT_EXEC);
        break; /* all sleds are in one segment */
    }
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    if (getenv("BENCH_COUNTS"))
        dl_iterate_phdr(count_module, NULL);
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("BENCH_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) {
        perror("count_sleds: BENCH_COUNTS");
        return;
    }
    for (const struct counted_module *m = modules; m < modules + module_count; m++)
        for (unsigned i = 0; i < m->count; i++)
            if (m->counters[i])
                fprintf(file, "%" PRIx64 " %" PRIu64 " %s\n", m->functions[i], m->counters[i], m->name);
    if (fclose(file))
        perror("count_sleds: BENCH_COUNTS");
}
