#include "reporters/symbols/debug_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

bool elf_file_open(struct elf_file *file, const char *path)
{
    elf_version(EV_CURRENT);
    *file = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0)
        return false;
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if (file->elf && elf_kind(file->elf) == ELF_K_ELF)
        return true;
    elf_file_close(file);
    errno = 0;
    return false;
}

void elf_file_close(struct elf_file *file)
{
    if (file->elf)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct elf_file){.fd = -1};
}

bool elf_file_has_build_id(const struct elf_file *file, const uint8_t *id, size_t size)
{
    const void *found;
    ssize_t length = dwelf_elf_gnu_build_id(file->elf, &found);
    return length > 0 && (size_t)length == size && !memcmp(found, id, size);
}

bool elf_file_has_section(const struct elf_file *file, const char *name)
{
    size_t names;
    if (elf_getshdrstrndx(file->elf, &names))
        return false;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(file->elf, s));) {
        GElf_Shdr header;
        const char *found;
        if (gelf_getshdr(s, &header) && header.sh_type != SHT_NOBITS && header.sh_size &&
            (found = elf_strptr(file->elf, names, header.sh_name)) && !strcmp(found, name))
            return true;
    }
    return false;
}

bool debug_file_by_build_id(struct elf_file *out, const uint8_t *id, size_t size)
{
    char path[256];
    *out = (struct elf_file){.fd = -1};
    if (size < 2 || size > 64)
        return false;
    int used = snprintf(path, sizeof path, DEBUG_ROOT "/.build-id/%02x/", id[0]);
    for (size_t i = 1; i < size; i++)
        used += snprintf(path + used, sizeof path - (size_t)used, "%02x", id[i]);
    snprintf(path + used, sizeof path - (size_t)used, ".debug");
    return elf_file_open(out, path);
}

/* The CRC of .gnu_debuglink: that of zlib and Ethernet. */
static uint32_t checksum(int fd)
{
    uint32_t table[256], crc = ~0u;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    static _Thread_local uint8_t block[65536];
    off_t at = 0;
    for (ssize_t n; (n = pread(fd, block, sizeof block, at)) > 0; at += n)
        for (ssize_t i = 0; i < n; i++)
            crc = table[(crc ^ block[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

static bool fits(const struct elf_file *debug, const struct elf_file *main, uint32_t crc)
{
    const void *id, *own;
    ssize_t size = dwelf_elf_gnu_build_id(main->elf, &id), other = dwelf_elf_gnu_build_id(debug->elf, &own);
    if (size > 0 && other > 0)
        return size == other && !memcmp(id, own, (size_t)size);
    return checksum(debug->fd) == crc;
}

bool debug_file_by_link(struct elf_file *out, const struct elf_file *main, const char *path)
{
    *out = (struct elf_file){.fd = -1};
    GElf_Word crc;
    const char *name = dwelf_elf_gnu_debuglink(main->elf, &crc);
    char real[PATH_MAX], candidate[PATH_MAX * 2];
    if (!name || !*name || !realpath(path, real))
        return false;
    char *slash = strrchr(real, '/');
    *slash = 0;
    for (int i = 0; i < 3; i++) {
        int length = snprintf(candidate, sizeof candidate, "%s%s%s/%s", i == 2 ? DEBUG_ROOT : "", real,
                              i == 1 ? "/.debug" : "", name);
        if ((size_t)length >= sizeof candidate)
            continue;
        char same[PATH_MAX];
        *slash = '/';
        bool itself = realpath(candidate, same) && !strcmp(same, real);
        *slash = 0;
        if (itself || !elf_file_open(out, candidate))
            continue;
        if (fits(out, main, crc))
            return true;
        elf_file_close(out);
    }
    return false;
}
