#include "profiler/elf_names.h"

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

static bool search(const struct image *i, const Elf64_Shdr *symbols, const Elf64_Shdr *text, uint64_t address,
                   char *name, size_t size)
{
    const Elf64_Sym *s = part(i, symbols->sh_offset, symbols->sh_size);
    const char *names = part(i, text->sh_offset, text->sh_size);
    if (!s || !names || !text->sh_size || names[text->sh_size - 1])
        return false;
    for (uint64_t n = symbols->sh_size / sizeof(*s); n > 0; n--, s++)
        if (s->st_value == address && ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_name < text->sh_size) {
            strncpy(name, names + s->st_name, size - 1);
            name[size - 1] = 0;
            return true;
        }
    return false;
}

static bool search_image(const struct image *i, uint64_t address, char *name, size_t size)
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
            if (sections[n].sh_type == type && sections[n].sh_link < e->e_shnum && sections[n].sh_offset % 8 == 0 &&
                search(i, &sections[n], &sections[sections[n].sh_link], address, name, size))
                return true;
        if (type == SHT_DYNSYM)
            return false;
    }
}

bool elf_function_name(const char *path, uint64_t address, char *name, size_t size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *map = fstat(fd, &st) == 0 && st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                                                      : MAP_FAILED;
    close(fd);
    if (map == MAP_FAILED)
        return false;
    struct image i = {map, (uint64_t)st.st_size};
    bool found = search_image(&i, address, name, size);
    munmap(map, (size_t)st.st_size);
    return found;
}
