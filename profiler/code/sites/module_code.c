#include "profiler/code/sites/module_code.h"

#include "profiler/code/modules/loaded_modules.h"
#include "profiler/code/modules/modules.h"

#include <elf.h>
#include <string.h>

struct search {
    uint64_t address;
    struct module_code *code;
    bool found;
};

/* --- the words that hold the hooks' addresses -----------------------------------------------------------------------
 */

static void add_slots(struct hook_targets *t, const ElfW(Rela) * relocations, uint64_t bytes, const ElfW(Sym) * symbols,
                      const char *names, uint64_t bias)
{
    for (uint64_t i = 0; i < bytes / sizeof(*relocations); i++) {
        const ElfW(Rela) *r = &relocations[i];
        if (ELF64_R_TYPE(r->r_info) != R_X86_64_JUMP_SLOT && ELF64_R_TYPE(r->r_info) != R_X86_64_GLOB_DAT)
            continue;
        const char *name = names + symbols[ELF64_R_SYM(r->r_info)].st_name;
        if (strncmp(name, "__cyg_profile_func_e", 20) != 0)
            continue;
        enum hook h = strcmp(name + 20, "nter") == 0 ? HOOK_ENTER : HOOK_EXIT;
        if ((h == HOOK_ENTER || strcmp(name + 20, "xit") == 0) && t->slot_count[h] < HOOK_SLOTS)
            t->slots[h][t->slot_count[h]++] = bias + r->r_offset;
    }
}

static void find_slots(struct hook_targets *t, const ElfW(Dyn) * dynamic, uint64_t bias)
{
    uint64_t value[DT_JMPREL + 1] = {0};
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag > 0 && dynamic->d_tag <= DT_JMPREL)
            value[dynamic->d_tag] = dynamic->d_un.d_val;
    for (const int *tag = (const int[]){DT_SYMTAB, DT_STRTAB, DT_RELA, DT_JMPREL, 0}; *tag; tag++)
        if (value[*tag] && value[*tag] < bias) /* glibc has made them addresses, others leave them */
            value[*tag] += bias;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)value[DT_SYMTAB];
    const char *names = (const char *)value[DT_STRTAB];
    if (!symbols || !names)
        return;
    if (value[DT_RELA])
        add_slots(t, (const ElfW(Rela) *)value[DT_RELA], value[DT_RELASZ], symbols, names, bias);
    if (value[DT_JMPREL])
        add_slots(t, (const ElfW(Rela) *)value[DT_JMPREL], value[DT_PLTRELSZ], symbols, names, bias);
}

/* --- functions ------------------------------------------------------------------------------------------------------
 */

/* .eh_frame_hdr: version 1; pointer to .eh_frame and number of entries in 4 bytes each; entries of twice 4 bytes from
 * its own start. That is what all linkers write. */
static void read_index(struct module_code *code, uint64_t header, uint64_t size)
{
    static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
    const uint8_t *at = (const uint8_t *)(uintptr_t)header;
    uint32_t count;
    if (size < 12 || memcmp(at, usual, sizeof(usual)) != 0)
        return;
    memcpy(&count, at + 8, sizeof(count));
    if (count > (size - 12) / 8)
        return;
    code->index = at;
    code->functions = count;
}

static uint64_t displaced(const uint8_t *from, const uint8_t *at)
{
    int32_t displacement;
    memcpy(&displacement, at, sizeof(displacement));
    return (uint64_t)(uintptr_t)from + (uint64_t)(int64_t)displacement;
}

/* The first instruction of the i-th function, as the table says. */
static uint64_t module_code_start(const struct module_code *code, uint32_t i)
{
    return displaced(code->index, code->index + 12 + 8 * (uint64_t)i);
}

const uint8_t *module_code_entry(const struct module_code *code, uint32_t i)
{
    return (const uint8_t *)(uintptr_t)displaced(code->index, code->index + 16 + 8 * (uint64_t)i);
}

bool module_code_function(const struct module_code *code, uint32_t i, uint64_t *start, uint64_t *end)
{
    /* length, CIE, start as seen from there, size: an entry that says otherwise of its start is of another encoding */
    const uint8_t *entry = module_code_entry(code, i);
    uint32_t size;
    *start = module_code_start(code, i);
    memcpy(&size, entry + 12, sizeof(size));
    *end = *start + size;
    return displaced(entry + 8, entry + 8) == *start && *start >= code->start && *end <= code->end && *start < *end;
}

uint32_t module_code_search(const struct module_code *code, uint64_t address)
{
    uint64_t start, end;
    uint32_t low = 0, high = code->functions; /* the last function that does not begin behind it */
    if (!code->index || !high)
        return UINT32_MAX;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (module_code_start(code, middle) <= address)
            low = middle;
        else
            high = middle;
    }
    bool inside = module_code_function(code, low, &start, &end) && address >= start && address < end;
    return inside ? low : UINT32_MAX;
}

/* --- the module -----------------------------------------------------------------------------------------------------
 */

static void look(const struct dl_phdr_info *info, void *argument)
{
    struct search *s = argument;
    struct module_code *code = s->code;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && s->address >= start && s->address < start + p->p_filesz) {
            s->found = true;
            code->start = start;
            code->end = start + p->p_filesz;
            code->writable = p->p_flags & PF_W;
        } else if (p->p_type == PT_GNU_EH_FRAME)
            read_index(code, start, p->p_memsz);
        else if (p->p_type == PT_DYNAMIC && code->targets.address[HOOK_ENTER]) /* else nobody asks for them */
            find_slots(&code->targets, (const ElfW(Dyn) *)start, info->dlpi_addr);
    }
    code->targets.text = code->start;
    code->targets.text_end = code->end;
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *visit)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        struct module_code code = {0};
        struct search s = {.address = info->dlpi_addr + p->p_vaddr, .code = &code};
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        look(info, &s);
        if (s.found)
            (*(void (**)(const struct module_code *))visit)(&code);
    }
    return 0;
}

void module_code_each(void (*visit)(const struct module_code *code))
{
    loaded_modules_each(visit_module, &visit);
}

bool module_code_find(uint64_t address, uint64_t enter, uint64_t exit, struct module_code *code)
{
    struct search s = {.address = address, .code = code};
    *code = (struct module_code){.targets = {.address = {enter, exit}}};
    return module_headers(address, look, &s) && s.found;
}
