/* Names and lines of functions of this very program, whole, stripped and rebuilt. Needs objcopy (binutils). */
#include "reporters/symbols/symbols.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int symbols_sample_global(int x);

__attribute__((noinline)) static int sample_static(int x)
{
    __asm__ volatile("");
    return x + 1;
}
enum { STATIC_LINE = __LINE__ - 5 };

__attribute__((noinline)) int symbols_sample_global(int x)
{
    return sample_static(x) * 2;
}
enum { GLOBAL_LINE = __LINE__ - 4 };

static inline __attribute__((always_inline)) int sample_innermost(int x)
{
    __asm__ volatile(".globl symbols_inlined_place\nsymbols_inlined_place: nop" : "+r"(x));
    return x;
}
enum { INNERMOST_LINE = __LINE__ - 5 };

static inline __attribute__((always_inline)) int sample_inlined(int x)
{
    return sample_innermost(x + 1) + 1;
}

int symbols_sample_outer(int x);
extern const char symbols_inlined_place[];

__attribute__((noinline)) int symbols_sample_outer(int x)
{
    return sample_inlined(x) * 3;
}

int symbols_sample_alias(int x) __attribute__((alias("symbols_sample_global")));
int __symbols_sample(int x) __attribute__((alias("symbols_sample_global")));
static int a_local_alias(int x) __attribute__((alias("symbols_sample_global"), used));

static int sample_table[4] = {1, 2, 3, 4};

static char self[PATH_MAX], dir[64], problem[1024];
static uint8_t build_id[64];
static size_t build_id_size;
static uint64_t bias;
static struct symbols *symbols;

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                   *end = at + info->dlpi_phdr[i].p_memsz;
        while (at < end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            const char *name = at + sizeof *note, *text = name + ((note->n_namesz + 3u) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && !strcmp(name, "GNU")) {
                build_id_size = note->n_descsz;
                memcpy(build_id, text, build_id_size);
            }
            at = text + ((note->n_descsz + 3u) & ~3u);
        }
    }
    return 1; /* the program itself comes first */
}

static void begin(void)
{
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert_gt(length, 0);
    self[length] = 0;
    strcpy(dir, "/tmp/pcomp-test-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    dl_iterate_phdr(look, NULL);
    cr_assert_gt(build_id_size, 0);
}

static void end(void)
{
    char command[128];
    symbols_close(symbols);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}

TestSuite(symbols, .init = begin, .fini = end);

static void open_path(const char *path)
{
    struct symbol_source source = {.path = path, .build_id = build_id, .build_id_size = build_id_size};
    symbols = symbols_open(&source, problem, sizeof problem);
}

static uint64_t address_of(int (*function)(int))
{
    return (uint64_t)(uintptr_t)function - bias;
}

/* Runs a shell command in which %s is this program, in the scratch directory. */
static void prepare(const char *format)
{
    char command[3 * PATH_MAX];
    int used = snprintf(command, sizeof command, "cd %s && ", dir);
    snprintf(command + used, sizeof command - (size_t)used, format, self);
    cr_assert_eq(system(command), 0, "%s", command);
}

static const char *scratch(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void assert_line(int (*function)(int), unsigned line)
{
    struct line_query query = {.address = address_of(function), .is_function = true};
    symbols_lines(symbols, &query, 1);
    cr_assert_not_null(query.line.file);
    cr_assert_not_null(strstr(query.line.file, "test_symbols.c"), "%s", query.line.file);
    cr_assert_eq(query.line.line, line, "line %u, expected %u", query.line.line, line);
}

Test(symbols, gives_names_of_functions_at_their_first_address)
{
    open_path(self);
    cr_assert_not_null(symbols);
    cr_assert_str_empty(problem);
    cr_assert_str_eq(symbols_name(symbols, address_of(sample_static)), "sample_static");
    cr_assert_null(symbols_name(symbols, address_of(sample_static) + 1));
    cr_assert_null(symbols_name(symbols, 1));
}

Test(symbols, prefers_global_and_plain_names_among_aliases)
{
    open_path(self);
    cr_assert_str_eq(symbols_name(symbols, address_of(symbols_sample_global)), "symbols_sample_alias");
}

Test(symbols, gives_the_line_of_the_definition)
{
    open_path(self);
    assert_line(symbols_sample_global, GLOBAL_LINE);
    assert_line(sample_static, STATIC_LINE);
}

Test(symbols, gives_the_line_of_an_instruction)
{
    open_path(self);
    struct line_query query = {.address = address_of(symbols_sample_global) + 4};
    symbols_lines(symbols, &query, 1);
    cr_assert_not_null(strstr(query.line.file, "test_symbols.c"));
    cr_assert(query.line.line >= GLOBAL_LINE && query.line.line <= GLOBAL_LINE + 3, "line %u", query.line.line);
}

static uint64_t inlined_place(void)
{
    return (uint64_t)(uintptr_t)symbols_inlined_place - bias;
}

Test(symbols, gives_inlined_functions_from_the_innermost_outwards)
{
    struct symbol_scope scopes[8];
    cr_assert_eq(symbols_sample_outer(1), 9);
    open_path(self);
    cr_assert(symbols_have_scopes(symbols));
    cr_assert_eq(symbols_scopes(symbols, inlined_place(), scopes, 8), 3);
    cr_assert_str_eq(scopes[0].name, "sample_innermost");
    cr_assert_str_eq(scopes[1].name, "sample_inlined");
    cr_assert_str_eq(scopes[2].name, "symbols_sample_outer");
    cr_assert_not_null(strstr(scopes[0].file, "test_symbols.c"));
    cr_assert_eq(scopes[0].line, INNERMOST_LINE, "line %u", scopes[0].line);
    cr_assert_eq(symbols_scopes(symbols, inlined_place(), scopes, 2), 2);
    cr_assert_str_eq(scopes[0].name, "sample_innermost");
    cr_assert_eq(symbols_scopes(symbols, address_of(sample_static), scopes, 8), 1);
    cr_assert_str_eq(scopes[0].name, "sample_static");
    cr_assert_eq(symbols_scopes(symbols, 1, scopes, 8), 0);
}

Test(symbols, give_the_function_alone_without_debug_information)
{
    struct symbol_scope scope;
    prepare("objcopy --strip-debug %s stripped");
    open_path(scratch("stripped"));
    cr_assert_not(symbols_have_scopes(symbols));
    cr_assert_eq(symbols_scopes(symbols, address_of(sample_static) + 1, &scope, 1), 1);
    cr_assert_str_eq(scope.name, "sample_static");
    cr_assert_null(scope.file);
}

Test(symbols, tell_where_a_part_of_the_file_is_loaded)
{
    uint64_t address;
    open_path(self);
    FILE *file = fopen(self, "rb");
    ElfW(Ehdr) header;
    cr_assert_eq(fread(&header, sizeof header, 1, file), 1);
    for (int i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) part;
        cr_assert_eq(fseek(file, (long)(header.e_phoff + (unsigned)i * sizeof part), SEEK_SET), 0);
        cr_assert_eq(fread(&part, sizeof part, 1, file), 1);
        if (part.p_type == PT_LOAD && part.p_filesz > 8) {
            cr_assert(symbols_address(symbols, part.p_offset + 8, &address));
            cr_assert_eq(address, part.p_vaddr + 8);
        }
    }
    fclose(file);
    cr_assert_not(symbols_address(symbols, UINT64_MAX, &address));
}

Test(symbols, give_the_variable_that_an_address_lies_in)
{
    uint64_t offset = 9;
    open_path(self);
    cr_expect_str_eq(symbols_variable(symbols, (uint64_t)(uintptr_t)&sample_table[0] - bias, &offset), "sample_table");
    cr_expect_eq(offset, 0);
    cr_expect_str_eq(symbols_variable(symbols, (uint64_t)(uintptr_t)&sample_table[2] - bias, &offset), "sample_table");
    cr_expect_eq(offset, 8);
    cr_expect_null(symbols_variable(symbols, (uint64_t)(uintptr_t)&symbols_sample_global - bias, &offset));
}

Test(symbols, answers_nothing_outside_of_the_module)
{
    open_path(self);
    struct line_query queries[2] = {{.address = 1, .is_function = true}, {.address = UINT64_MAX - 1}};
    symbols_lines(symbols, queries, 2);
    cr_assert_null(queries[0].line.file);
    cr_assert_null(queries[1].line.file);
}

Test(symbols, says_that_a_module_is_missing)
{
    open_path("/no/such/module");
    cr_assert_null(symbols);
    cr_assert_str_eq(problem, "/no/such/module: cannot be read: No such file or directory: its functions are shown as "
                              "module+0xoffset");
    open_path("/etc/passwd");
    cr_assert_null(symbols);
    cr_assert_not_null(strstr(problem, "not an ELF file"), "%s", problem);
}

Test(symbols, notices_that_a_module_was_rebuilt)
{
    build_id[0] ^= 1;
    open_path(self);
    cr_assert_null(symbols);
    cr_assert_not_null(strstr(problem, "was rebuilt since the run: its functions are shown as module+0xoffset"), "%s",
                       problem);
}

Test(symbols, notices_another_time_of_a_module_without_build_id)
{
    struct symbol_source source = {.path = self, .file_size = 77, .file_mtime_ns = 1};
    symbols = symbols_open(&source, problem, sizeof problem);
    cr_assert_null(symbols);
    cr_assert_not_null(strstr(problem, "was rebuilt"), "%s", problem);
}

Test(symbols, says_that_a_module_is_stripped)
{
    prepare("objcopy --strip-all %s stripped");
    open_path(scratch("stripped"));
    /* what is exported for dynamic linking stays; a program exports next to nothing */
    cr_assert_null(symbols_name(symbols, address_of(sample_static)));
}

Test(symbols, come_from_the_debug_file_beside_a_stripped_module)
{
    prepare("cp %s whole && objcopy --only-keep-debug whole prog.debug && objcopy --strip-all whole prog &&"
            " objcopy --add-gnu-debuglink=prog.debug prog && rm whole");
    open_path(scratch("prog"));
    cr_assert_str_empty(problem);
    cr_assert_str_eq(symbols_name(symbols, address_of(sample_static)), "sample_static");
    assert_line(symbols_sample_global, GLOBAL_LINE);
}

Test(symbols, come_from_the_folder_debug_too)
{
    prepare("cp %s whole && mkdir .debug && objcopy --only-keep-debug whole .debug/prog.debug &&"
            " objcopy --strip-all whole prog && objcopy --add-gnu-debuglink=.debug/prog.debug prog && rm whole");
    open_path(scratch("prog"));
    cr_assert_str_eq(symbols_name(symbols, address_of(sample_static)), "sample_static");
    assert_line(sample_static, STATIC_LINE);
}

Test(symbols, do_not_come_from_a_debug_file_of_another_build)
{
    prepare("cp %s whole && cp /bin/true prog.debug && objcopy --strip-all whole prog &&"
            " objcopy --add-gnu-debuglink=prog.debug prog && rm whole");
    open_path(scratch("prog"));
    cr_assert_null(symbols_name(symbols, address_of(sample_static)));
}

Test(symbols, are_listed_by_address)
{
    open_path(self);
    uint64_t last = 0;
    bool found = false;
    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const char *name;
        uint64_t address = symbols_entry(symbols, i, &name);
        cr_assert(!i || address > last);
        found |= !strcmp(name, "sample_static");
        last = address;
    }
    cr_assert(found);
}
