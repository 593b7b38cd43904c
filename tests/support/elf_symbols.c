#include "tests/support/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    char *path;
    const char *map;
    size_t size;
    struct file *next;
};

static struct file *files;

static struct file *open_file(const char *path)
{
    for (struct file *f = files; f; f = f->next)
        if (!strcmp(f->path, path))
            return f;
    struct file *f = calloc(1, sizeof(*f));
    if (!f || !(f->path = strdup(path)))
        abort();
    f->next = files;
    files = f;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            f->map = map;
            f->size = (size_t)st.st_size;
        }
    }
    if (fd >= 0)
        close(fd);
    return f;
}

static const void *part(const struct file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->map + offset : NULL;
}

static const char *search(const struct file *f, const Elf64_Shdr *table, const Elf64_Shdr *text, uint64_t address)
{
    const Elf64_Sym *symbols = part(f, table->sh_offset, table->sh_size);
    const char *names = part(f, text->sh_offset, text->sh_size);
    const char *best = NULL;
    for (uint64_t i = 0; symbols && names && i < table->sh_size / sizeof(*symbols); i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_value == address &&
            symbols[i].st_name < text->sh_size && (!best || ELF64_ST_BIND(symbols[i].st_info) == STB_GLOBAL))
            best = names + symbols[i].st_name;
    return best;
}

const char *elf_symbol_name(const char *path, uint64_t address)
{
    static char stripped[16][512];
    static unsigned turn;
    const struct file *f = open_file(path);
    const Elf64_Ehdr *e = f->map ? part(f, 0, sizeof(*e)) : NULL;
    if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64)
        return NULL;
    const Elf64_Shdr *s = part(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof(*s));
    const char *name = NULL;
    for (int i = 0; s && !name && i < e->e_shnum; i++)
        if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) && s[i].sh_link < e->e_shnum)
            name = search(f, &s[i], &s[s[i].sh_link], address);
    if (!name)
        return NULL;
    char *to = stripped[turn++ % 16];
    snprintf(to, sizeof(stripped[0]), "%s", name);
    char *dot = strchr(to + 1, '.');
    if (dot)
        *dot = 0;
    return to;
}
