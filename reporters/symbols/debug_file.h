/* Opening the ELF file of a module and finding its separate debug file. Internal to symbols.c. */
#ifndef PCOMP_DEBUG_FILE_H
#define PCOMP_DEBUG_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
    int fd; /* -1: not open */
    Elf *elf;
};

/* Opens an ELF file. False: not there (errno tells) or not ELF (errno 0). */
bool elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

bool elf_file_has_build_id(const struct elf_file *file, const uint8_t *id, size_t size);

/* The debug file of a build-id: /usr/lib/debug/.build-id/xx/yyyy.debug. */
bool debug_file_by_build_id(struct elf_file *out, const uint8_t *id, size_t size);

/* The debug file that `path` names in .gnu_debuglink: beside it, in .debug beside it, or below /usr/lib/debug; its
 * build-id, or else its checksum, must fit. */
bool debug_file_by_link(struct elf_file *out, const struct elf_file *main, const char *path);

/* True when there is a section of that name with contents. */
bool elf_file_has_section(const struct elf_file *file, const char *name);

#endif
