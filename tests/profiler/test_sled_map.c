/* Maps of sleds as compilers leave them, and damaged ones: each entry is read or refused with a reason, nothing is read
 * that is not loaded. The module is an image in memory, and a file with its section headers. */
#include "profiler/code/sites/sled_map.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 8192u
#define CODE 64u
#define MAP  4096u

struct entry {
    int64_t sled, function;
    uint8_t kind, always, version, zeros[13];
};

static _Alignas(4096) uint8_t image[SIZE];
static const char enter[] = "\xeb\x09\x66\x0f\x1f\x84\x00\x00\x02\x00\x00",
                  leave[] = "\xc3\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00";
static const char names[] = "\0.shstrtab\0xray_instr_map";

static struct entry *entry(unsigned i)
{
    return (struct entry *)(image + MAP) + i;
}

/* Entry i: a sled at `at` of the function at CODE. */
static void put_sled(unsigned i, uint32_t at, enum sled_kind kind)
{
    struct entry *e = entry(i);
    memcpy(image + at, kind == SLED_RETURN ? leave : enter, SLED_SIZE);
    *e = (struct entry){.kind = (uint8_t)kind, .version = 2};
    e->sled = image + at - (uint8_t *)&e->sled;
    e->function = image + CODE - (uint8_t *)&e->function;
}

static void make_image(void)
{
    memset(image, 0x90, sizeof(image));
    put_sled(0, CODE, SLED_ENTER);
    put_sled(1, CODE + 100, SLED_RETURN);
    put_sled(2, CODE + 200, SLED_TAIL);
}

static const char *read_entry(unsigned i, struct sled *sled)
{
    struct sled_map map = {(uint64_t)(uintptr_t)image + MAP, 3};
    uint64_t start = (uint64_t)(uintptr_t)image;
    return sled_map_read(&map, i, start, start + MAP, sled);
}

Test(sled_map, entries_as_they_should_be)
{
    static const enum sled_kind kinds[] = {SLED_ENTER, SLED_RETURN, SLED_TAIL};
    struct sled sled;
    make_image();
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_null(read_entry(i, &sled));
        cr_assert_eq(sled.address, (uint64_t)(uintptr_t)image + CODE + 100 * (uint64_t)i);
        cr_assert_eq(sled.function, (uint64_t)(uintptr_t)image + CODE);
        cr_assert_eq(sled.kind, kinds[i]);
    }
    entry(0)->kind = 3; /* with the first argument: an enter */
    cr_assert_null(read_entry(0, &sled));
    cr_assert_eq(sled.kind, SLED_ENTER);
}

Test(sled_map, tail_calls_by_conditional_jumps)
{
    static const char *const jumps[] = {"\x74\x10", "\x0f\x87\0\0\0\0"};
    struct sled sled;
    make_image();
    cr_assert(!read_entry(2, &sled) && !sled.conditional);
    for (unsigned i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
        memcpy(image + CODE + 200 + SLED_SIZE, jumps[i], i ? 6 : 2);
        cr_assert(!read_entry(2, &sled) && sled.conditional);
    }
    memcpy(image + CODE + SLED_SIZE, jumps[0], 2); /* an enter, which no flags come through */
    cr_assert(!read_entry(0, &sled) && !sled.conditional);
    put_sled(2, MAP - SLED_SIZE, SLED_TAIL); /* the last bytes of the code */
    cr_assert(!read_entry(2, &sled) && !sled.conditional);
}

static void expect_refused(const char *part)
{
    struct sled sled;
    const char *wrong = read_entry(0, &sled);
    cr_assert_not_null(wrong, "%s", part);
    cr_assert_not_null(strstr(wrong, part), "'%s' does not say '%s'", wrong, part);
    make_image();
}

Test(sled_map, entries_that_are_wrong)
{
    static const int64_t away[] = {INT64_MIN, INT64_MAX, -CODE - 1, SIZE, MAP - CODE - SLED_SIZE + 1};
    make_image();
    for (unsigned version = 0; version < 256; version++)
        if (version != 2) {
            entry(0)->version = (uint8_t)version;
            expect_refused("version");
        }
    for (unsigned kind = 4; kind < 256; kind++) {
        entry(0)->kind = (uint8_t)kind;
        expect_refused("neither enter nor exit");
    }
    for (unsigned i = 0; i < sizeof(away) / sizeof(away[0]); i++) {
        entry(0)->sled = (int64_t)((uint64_t)entry(0)->sled + (uint64_t)away[i]);
        expect_refused("out of the code");
    }
    for (unsigned i = 0; i < 4; i++) {
        entry(0)->function = (int64_t)((uint64_t)entry(0)->function + (uint64_t)away[i]);
        expect_refused("out of the code");
    }
}

Test(sled_map, bytes_that_are_no_sled)
{
    make_image();
    for (unsigned i = 0; i < SLED_SIZE; i++)
        for (unsigned byte = 0xc0; byte < 0xd0; byte++) { /* none of them is a no-op's */
            image[CODE + i] = (uint8_t)byte;
            if (i < 6) /* behind them are the displacement's */
                expect_refused("bytes are not");
            make_image();
        }
    entry(0)->kind = SLED_RETURN;
    expect_refused("bytes are not");
    memcpy(image + CODE, leave, SLED_SIZE);
    expect_refused("bytes are not");
    memcpy(image + CODE, "\xeb\x09\x90\x90\x90\x90\x90\x90\x90\x90\x0f", SLED_SIZE); /* a no-op goes on behind it */
    expect_refused("bytes are not");
    struct sled sled;
    memcpy(image + CODE, "\xeb\x09\x90\x90\x90\x90\x90\x90\x90\x90\x90", SLED_SIZE);
    cr_assert_null(read_entry(0, &sled));
}

/* --- files -----------------------------------------------------------------------------------------------------------
 */

struct file {
    Elf64_Ehdr header;
    Elf64_Shdr sections[4];
    char names[sizeof(names)];
};

static struct file good_file(void)
{
    struct file f = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                                .e_shoff = offsetof(struct file, sections),
                                .e_shentsize = sizeof(Elf64_Shdr),
                                .e_shnum = 3,
                                .e_shstrndx = 1}};
    memcpy(f.names, names, sizeof(names));
    f.sections[1] = (Elf64_Shdr){.sh_name = 1, .sh_offset = offsetof(struct file, names), .sh_size = sizeof(names)};
    f.sections[2] = (Elf64_Shdr){.sh_name = 11, .sh_flags = SHF_ALLOC, .sh_addr = MAP, .sh_size = 3 * 32};
    return f;
}

/* What is found in a module of that file, of which `size` bytes are there. */
static const char *find(const struct file *f, size_t size, struct sled_map *map)
{
    char path[64];
    int fd = memfd_create("module", MFD_CLOEXEC);
    cr_assert(fd >= 0 && write(fd, f, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    Elf64_Phdr load = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = SIZE, .p_memsz = SIZE};
    struct dl_phdr_info info = {
        .dlpi_addr = (uint64_t)(uintptr_t)image, .dlpi_name = path, .dlpi_phdr = &load, .dlpi_phnum = 1};
    *map = (struct sled_map){1, 1};
    const char *wrong = sled_map_find(&info, map);
    close(fd);
    return wrong;
}

static void expect_none(const struct file *f, size_t size)
{
    struct sled_map map;
    cr_assert_null(find(f, size, &map));
    cr_assert_eq(map.count, 0);
}

static void expect_wrong(const struct file *f, const char *part)
{
    struct sled_map map;
    const char *wrong = find(f, sizeof(*f), &map);
    cr_assert_not_null(wrong);
    cr_assert_not_null(strstr(wrong, part), "'%s' does not say '%s'", wrong, part);
    cr_assert_eq(map.count, 0);
}

Test(sled_map, found_in_the_section_headers)
{
    struct file f = good_file();
    struct sled_map map;
    cr_assert_null(find(&f, sizeof(f), &map));
    cr_assert_eq(map.count, 3);
    cr_assert_eq(map.start, (uint64_t)(uintptr_t)image + MAP);
    f.header.e_shnum = 0; /* the first section says how many, and where the names are */
    f.header.e_shstrndx = SHN_XINDEX;
    f.sections[0].sh_size = 3;
    f.sections[0].sh_link = 1;
    cr_assert_null(find(&f, sizeof(f), &map));
    cr_assert_eq(map.count, 3);
}

Test(sled_map, files_that_end_early_or_are_none)
{
    struct file f = good_file();
    for (size_t size = 0; size < offsetof(struct file, sections[3]); size += 7)
        expect_none(&f, size);
    expect_none(&f, offsetof(struct file, names) + 12);
    f.header.e_ident[1] = 'X';
    expect_none(&f, sizeof(f));
    f = good_file();
    f.header.e_ident[EI_CLASS] = ELFCLASS32;
    expect_none(&f, sizeof(f));
    f = good_file();
    f.header.e_shentsize--;
    expect_none(&f, sizeof(f));
    f = good_file();
    f.header.e_shoff = UINT64_MAX - 60;
    expect_none(&f, sizeof(f));
    f = good_file();
    f.header.e_shstrndx = 3;
    expect_none(&f, sizeof(f));
    f = good_file();
    f.sections[1].sh_offset = UINT64_MAX;
    expect_none(&f, sizeof(f));
    f = good_file();
    f.sections[2].sh_name = UINT32_MAX;
    expect_none(&f, sizeof(f));
    f = good_file();
    f.sections[2].sh_flags = 0; /* not loaded */
    expect_none(&f, sizeof(f));
    f = good_file();
    f.sections[2].sh_size = 0;
    expect_none(&f, sizeof(f));
}

Test(sled_map, sections_that_are_wrong)
{
    static const uint64_t addresses[] = {SIZE - 95, SIZE, UINT64_MAX, UINT64_MAX - 95, -(uint64_t)1 << 63};
    struct file f = good_file();
    f.sections[2].sh_size = 3 * 32 + 1;
    expect_wrong(&f, "32 bytes");
    f.sections[2].sh_size = UINT64_MAX - 31;
    expect_wrong(&f, "32 bytes");
    f.sections[2].sh_size = SIZE;
    expect_wrong(&f, "not loaded");
    f = good_file();
    for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        f.sections[2].sh_addr = addresses[i];
        expect_wrong(&f, "not loaded");
    }
}
