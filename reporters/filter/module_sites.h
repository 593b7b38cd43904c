/* What sites the code of an ELF file has: calls of the hooks, or sleds. The file is an executable, a shared library or
 * an object file; nothing of it is run. */
#ifndef PCOMP_MODULE_SITES_H
#define PCOMP_MODULE_SITES_H

#include <stdbool.h>
#include <stdint.h>

#define MODULE_SLED_MAP "xray_instr_map" /* section */

struct module_sites {
    int machine;    /* EM_X86_64, ... */
    int elf_class;  /* ELFCLASS64, ELFCLASS32 */
    bool hooks;     /* the hook for enters is called, or defined */
    bool map;       /* there is a section xray_instr_map with contents */
    uint64_t sleds; /* entries of that section; 0 where their size is not known (not x86-64) */
    bool note;      /* the gcc plugin left its note: an object of the file was built with sleds */
};

/* False: there is no ELF file at path. */
bool module_sites_read(struct module_sites *sites, const char *path);

/* Whether the file has sleds; reads no symbols. False also where it is no ELF file. */
bool module_sites_mapped(const char *path);

/* Whether the file has hook calls or sleds: its functions can be measured. False also where it is no ELF file. */
bool module_sites_any(const char *path);

/* The note is there and the map is not: the linker threw the map away, and no sled can be found. */
bool module_sites_lost(const struct module_sites *sites);

#endif
