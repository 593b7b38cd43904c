#include "profiler/code/filter.h"

#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/code/modules/elf_names.h"
#include "profiler/code/modules/modules.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *last_path, *last_section, *last_end; /* functions of one module come in a row */
static const char *file_text;                           /* DIR/filter, mapped with a NUL after it; NULL none */

void filter_start(const char *directory)
{
    char path[4200];
    struct stat st;
    file_text = last_path = NULL;
    if (!config.pattern_count)
        return;
    snprintf(path, sizeof(path), "%s/filter", directory);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        /* one byte more, so that the text ends in a NUL */
        char *map = mmap(NULL, (size_t)st.st_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map != MAP_FAILED && read(fd, map, (size_t)st.st_size) == (ssize_t)st.st_size)
            file_text = map;
    }
    descriptor_close(fd);
}

/* Text after the line "module PATH" of the filter file. */
static const char *module_section(const char *path)
{
    if (last_path && !strcmp(last_path, path))
        return last_section;
    size_t length = strlen(path);
    last_section = NULL;
    for (const char *line = file_text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (!strncmp(line, "module ", 7) && !strncmp(line + 7, path, length) && line[7 + length] == '\n') {
            last_section = line + 8 + length;
            last_end = strstr(last_section, "\nmodule ");
            last_end = !strncmp(last_section, "module ", 7) ? last_section
                       : last_end                           ? last_end + 1
                                                            : last_section + strlen(last_section);
            break;
        }
    last_path = path;
    return last_section;
}

/* Where the line begins that `at` is in, not before `start`. */
static const char *line_at(const char *at, const char *start)
{
    while (at > start && at[-1] != '\n')
        at--;
    return at;
}

/* 1 keep, 0 drop, -1 not said. The lines of a module are sorted by address. */
static int decision_of_record(uint32_t module, uint64_t elf_address)
{
    const char *low = file_text ? module_section(module_path(module)) : NULL, *high = last_end;
    while (low && low < high) {
        const char *line = line_at(low + (high - low) / 2, low), *next = strchr(line, '\n');
        uint64_t address = high - line > 5 ? strtoull(line + 5, NULL, 16) : 0;
        if (address == elf_address && (!strncmp(line, "keep ", 5) || !strncmp(line, "drop ", 5)))
            return line[0] == 'k';
        if (address < elf_address)
            low = next ? next + 1 : high;
        else
            high = line;
    }
    return -1;
}

static bool decide(const char *name, const char *path)
{
    bool any_only = false, only = false, skip = false;
    for (size_t i = 0; i < config.pattern_count; i++) {
        const struct config_pattern *p = &config.patterns[i];
        const char *base = path ? strrchr(path, '/') : NULL;
        bool hit = false;
        if (p->what == PATTERN_FUNCTION)
            hit = name && !fnmatch(p->text, name, 0);
        else if (p->what == PATTERN_MODULE && path)
            hit = !fnmatch(p->text, path, 0) || (base && !fnmatch(p->text, base + 1, 0));
        any_only |= p->only;
        only |= hit && p->only;
        skip |= hit && !p->only;
    }
    return skip || (any_only && !only);
}

bool filter_skips(uint32_t module, uint64_t address)
{
    if (!config.pattern_count)
        return false;
    struct pcomp_module *m = module_record(module);
    if (!m)
        return decide(NULL, NULL);
    int said = decision_of_record(module, address - m->bias);
    if (said >= 0)
        return !said;
    char name[1024];
    return decide(elf_function_name(module_path(module), address - m->bias, name, sizeof(name)) ? name : NULL,
                  module_path(module));
}

bool filter_skips_region(const char *name)
{
    return config.pattern_count && decide(name, NULL);
}
