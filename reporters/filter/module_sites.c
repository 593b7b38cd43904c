#include "reporters/filter/module_sites.h"

#include "reporters/filter/filter_functions.h"
#include "reporters/symbols/debug_file.h"

#include <gelf.h>
#include <string.h>

#define NOTE_SECTION ".note.pcomp"
#define NOTE_OWNER   "pcomp"
#define SLED_ENTRY   32 /* bytes: struct XRaySledEntry of a 64-bit program */

static bool has_note_of_owner(Elf_Data *data)
{
    GElf_Nhdr note;
    size_t name, description;
    for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &description)) > 0;)
        if (note.n_namesz == sizeof NOTE_OWNER && !memcmp((char *)data->d_buf + name, NOTE_OWNER, sizeof NOTE_OWNER))
            return true;
    return false;
}

/* All but the hooks. */
static bool read_map(struct module_sites *sites, const char *path)
{
    struct elf_file file;
    GElf_Ehdr elf_header;
    size_t names;
    *sites = (struct module_sites){0};
    if (!elf_file_open(&file, path))
        return false;
    bool good = gelf_getehdr(file.elf, &elf_header) && elf_getshdrstrndx(file.elf, &names) == 0;
    if (good) {
        sites->machine = elf_header.e_machine;
        sites->elf_class = gelf_getclass(file.elf);
    }
    for (Elf_Scn *section = NULL; good && (section = elf_nextscn(file.elf, section));) {
        GElf_Shdr header;
        const char *name;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS || !header.sh_size ||
            !(name = elf_strptr(file.elf, names, header.sh_name)))
            continue;
        if (!strcmp(name, MODULE_SLED_MAP)) { /* an object file has one a function */
            sites->map = true;
            sites->sleds += sites->machine == EM_X86_64 ? header.sh_size / SLED_ENTRY : 0;
        } else if (!strcmp(name, NOTE_SECTION) ||
                   (header.sh_type == SHT_NOTE && has_note_of_owner(elf_getdata(section, NULL)))) {
            sites->note = true;
        }
    }
    elf_file_close(&file);
    return good;
}

bool module_sites_read(struct module_sites *sites, const char *path)
{
    bool good = read_map(sites, path);
    sites->hooks = good && filter_is_instrumented(path);
    return good;
}

bool module_sites_mapped(const char *path)
{
    struct module_sites sites;
    return read_map(&sites, path) && sites.map;
}

bool module_sites_lost(const struct module_sites *sites)
{
    return sites->note && !sites->map;
}

bool module_sites_any(const char *path)
{
    struct module_sites sites;
    return module_sites_read(&sites, path) && (sites.hooks || sites.map);
}
