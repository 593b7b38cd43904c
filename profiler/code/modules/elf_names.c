#include "profiler/code/modules/elf_names.h"

#include "compensation/numeric/sorted.h"
#include "profiler/base/raw_call.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *data;
    uint64_t size;
};

static const void *part(const struct image *i, uint64_t offset, uint64_t size)
{
    return offset <= i->size && size <= i->size - offset ? i->data + offset : NULL;
}

/* --- the functions of the file that was asked for last --------------------------------------------------------------
 */

struct function {
    uint64_t address;
    uint32_t name, order; /* in `names`; of the symbol: of several at one address the first counts */
};

static bool is_before(const struct function *one, const struct function *other)
{
    return one->address != other->address ? one->address < other->address : one->order < other->order;
}

static struct {
    char path[4096];
    struct function *functions; /* sorted; with `names` behind them in one mapping */
    uint64_t count, mapped;
    char *names;
} known;

static bool is_function(const Elf64_Sym *s, const Elf64_Shdr *text)
{
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_value && s->st_name < text->sh_size;
}

static void sift(struct function *heap, uint64_t at, uint64_t count)
{
    struct function moved = heap[at];
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&moved, &heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* libc's may allocate, and the program's allocator may be what is measured. */
static void sort(struct function *f, uint64_t count)
{
    for (uint64_t i = count / 2; i-- > 0;)
        sift(f, i, count);
    for (uint64_t end = count; end-- > 1;) {
        struct function last = f[end];
        f[end] = f[0];
        f[0] = last;
        sift(f, 0, end);
    }
}

/* Copies what is needed: the file may change while it is used. */
static bool take(const struct image *i, const Elf64_Shdr *symbols, const Elf64_Shdr *text)
{
    const Elf64_Sym *s = part(i, symbols->sh_offset, symbols->sh_size);
    const char *names = part(i, text->sh_offset, text->sh_size);
    uint64_t all = symbols->sh_size / sizeof(*s);
    if (!s || !names || !text->sh_size || names[text->sh_size - 1])
        return false;
    known.mapped = all * sizeof(struct function) + text->sh_size;
    void *room = mmap(NULL, known.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return false;
    known.functions = room;
    known.names = (char *)room + all * sizeof(struct function);
    memcpy(known.names, names, text->sh_size);
    for (uint64_t n = 0; n < all; n++)
        if (is_function(&s[n], text))
            known.functions[known.count++] = (struct function){s[n].st_value, s[n].st_name, (uint32_t)n};
    sort(known.functions, known.count);
    return known.count > 0;
}

static void forget(void)
{
    if (known.functions)
        munmap(known.functions, known.mapped);
    known.functions = NULL;
    known.count = 0;
}

static bool read_image(const struct image *i)
{
    const Elf64_Ehdr *e = part(i, 0, sizeof(*e));
    if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *sections = part(i, e->e_shoff, (uint64_t)e->e_shnum * sizeof(*sections));
    if (!sections || e->e_shoff % 8)
        return false;
    for (uint32_t type = SHT_SYMTAB;; type = SHT_DYNSYM) {
        for (unsigned n = 0; n < e->e_shnum; n++)
            if (sections[n].sh_type == type && sections[n].sh_link < e->e_shnum && sections[n].sh_offset % 8 == 0) {
                if (take(i, &sections[n], &sections[sections[n].sh_link]))
                    return true;
                forget();
            }
        if (type == SHT_DYNSYM)
            return false;
    }
}

static void read_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    void *map = fstat(fd, &st) == 0 && st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                                                      : MAP_FAILED;
    descriptor_close(fd);
    if (map == MAP_FAILED)
        return;
    struct image i = {map, (uint64_t)st.st_size};
    read_image(&i);
    munmap(map, (size_t)st.st_size);
}

bool elf_function_name(const char *path, uint64_t address, char *name, size_t size)
{
    if (strlen(path) >= sizeof(known.path))
        return false;
    if (strcmp(path, known.path) != 0) {
        forget();
        strcpy(known.path, path);
        read_file(path);
    }
    size_t low;
    SORTED_FIND(low, known.count, known.functions[low].address < address);
    if (low == known.count || known.functions[low].address != address)
        return false;
    strncpy(name, known.names + known.functions[low].name, size - 1);
    name[size - 1] = 0;
    return true;
}
