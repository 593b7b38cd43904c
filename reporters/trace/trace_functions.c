#include "reporters/trace/trace_functions.h"

#include "reporters/profile/profile_file.h"
#include "reporters/tree/build/function_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { GATHER_BLOCK = 1 << 20 };

struct functions_process {
    struct profile_file *profile; /* NULL: not readable */
    uint32_t *modules;            /* by id in the profile: index in the table */
};

struct known_function {
    uint64_t value;
    uint32_t process;
    uint32_t function; /* index in the table; 0: the slot is free ([0] is the root's) */
};

struct trace_functions {
    struct function_table table;
    struct text_pool texts;
    struct functions_process *processes;
    uint32_t process_count;
    struct known_function *known; /* hash table, a power of two, at most half full */
    size_t known_room, known_count;
};

struct trace_functions *trace_functions_open(void)
{
    struct trace_functions *functions = calloc(1, sizeof *functions);
    if (functions && !function_table_init(&functions->table)) {
        free(functions);
        return NULL;
    }
    return functions;
}

void trace_functions_close(struct trace_functions *functions)
{
    if (!functions)
        return;
    for (uint32_t i = 0; i < functions->process_count; i++) {
        profile_file_close(functions->processes[i].profile);
        free(functions->processes[i].modules);
    }
    free(functions->processes);
    free(functions->known);
    function_table_free(&functions->table);
    text_pool_free(&functions->texts);
    free(functions);
}

static bool add_process(struct trace_functions *functions, const char *path)
{
    struct functions_process *p = &functions->processes[functions->process_count++];
    char error[512]; /* of a damaged profile, what is whole serves; the commands on profiles say more */
    *p = (struct functions_process){0};
    p->profile = path ? profile_file_open(path, PROFILE_LIVE, true, error, sizeof error) : NULL;
    if (!p->profile)
        return true;
    p->modules = calloc(p->profile->module_count + (size_t)1, sizeof *p->modules);
    for (uint32_t i = 0; p->modules && i < p->profile->module_count; i++) {
        const struct pcomp_module *r = p->profile->modules[i];
        struct symbol_source source = symbol_source(r, profile_text(p->profile, r->path_link));
        p->modules[i] = function_table_module(&functions->table, &source);
        if (p->modules[i] == UINT32_MAX)
            return false;
    }
    return p->modules;
}

uint32_t trace_functions_add(struct trace_functions *functions, const struct trace_directory *directory)
{
    uint32_t first = functions->process_count;
    struct functions_process *grown =
        reallocarray(functions->processes, first + (size_t)directory->processes + 1, sizeof *grown);
    if (!grown)
        return UINT32_MAX;
    functions->processes = grown;
    for (uint32_t i = 0; i < directory->processes; i++)
        if (!add_process(functions, directory->profiles[i]))
            return UINT32_MAX;
    return first;
}

static uint32_t find_code(struct trace_functions *functions, const struct functions_process *p, uint64_t value)
{
    uint64_t address = trace_modules_address(value);
    uint32_t found = p->profile ? trace_modules_find(p->profile, value) : PROFILE_NONE;
    if (found == PROFILE_NONE)
        return function_table_code(&functions->table, FUNCTION_NO_MODULE, address);
    return function_table_code(&functions->table, p->modules[found], address - p->profile->modules[found]->bias);
}

static uint32_t find_region(struct trace_functions *functions, const struct functions_process *p, uint64_t address)
{
    for (uint32_t i = 0; p->profile && i < p->profile->function_count; i++) {
        const struct pcomp_function *r = p->profile->functions[i];
        const char *name = profile_text(p->profile, r->name_link);
        if (r->flags & PCOMP_FUNCTION_REGION && r->address == address && name)
            return function_table_region(&functions->table, name);
    }
    return function_table_region(&functions->table, "[region]");
}

static struct known_function *known_slot(const struct trace_functions *functions, uint32_t process, uint64_t value)
{
    size_t mask = functions->known_room - 1;
    size_t at = (size_t)(((value ^ (uint64_t)process << 48) * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (functions->known[at].function &&
           (functions->known[at].value != value || functions->known[at].process != process))
        at = (at + 1) & mask;
    return &functions->known[at];
}

static bool known_grow(struct trace_functions *functions)
{
    struct known_function *old = functions->known;
    size_t room = functions->known_room;
    struct known_function *known = calloc(room ? 2 * room : 1024, sizeof *known);
    if (!known)
        return false;
    functions->known = known;
    functions->known_room = room ? 2 * room : 1024;
    for (size_t i = 0; i < room; i++)
        if (old[i].function)
            *known_slot(functions, old[i].process, old[i].value) = old[i];
    free(old);
    return true;
}

uint32_t trace_functions_find(struct trace_functions *functions, uint32_t process, uint64_t value)
{
    if (2 * functions->known_count >= functions->known_room && !known_grow(functions))
        return UINT32_MAX;
    struct known_function *slot = known_slot(functions, process, value);
    if (slot->function)
        return slot->function;
    const struct functions_process *p = &functions->processes[process];
    uint32_t function = value & PCOMP_EVENT_REGION ? find_region(functions, p, value & ~PCOMP_EVENT_REGION)
                                                   : find_code(functions, p, value);
    if (function == UINT32_MAX)
        return UINT32_MAX;
    *slot = (struct known_function){value, process, function};
    functions->known_count++;
    return function;
}

/* The functions of a block of whole records. Returns the time of its last; sets *failed out of memory. */
static uint64_t gather_block(struct trace_functions *functions, uint32_t process, const char *block, int64_t size,
                             bool *failed)
{
    uint64_t time = 0, last = 0;
    for (int64_t at = 0; at < size;) {
        const struct pcomp_event *e = (const struct pcomp_event *)(block + at);
        uint64_t value = pcomp_event_value(e);
        if (pcomp_event_kind(e) == PCOMP_EVENT_ENTER && value != last) {
            *failed |= trace_functions_find(functions, process, value) == UINT32_MAX;
            last = value;
        }
        time = e->time;
        at += pcomp_event_size(e);
    }
    return time;
}

bool trace_functions_gather(struct trace_functions *functions, uint32_t process, struct trace_directory *directory,
                            uint64_t *first, uint64_t *last, char *error, size_t error_size)
{
    char *block = malloc(GATHER_BLOCK);
    bool failed = !block;
    int64_t size = 0;
    *first = UINT64_MAX;
    *last = 0;
    for (uint32_t i = 0; i < directory->count && size >= 0 && !failed; i++) {
        trace_file_rewind(directory->locations[i].file);
        while (!failed && (size = trace_directory_read(directory, i, block, GATHER_BLOCK, error, error_size)) > 0) {
            uint64_t begin = ((const struct pcomp_event *)block)->time;
            uint64_t end = gather_block(functions, process + directory->locations[i].process, block, size, &failed);
            *first = begin < *first ? begin : *first;
            *last = end > *last ? end : *last;
        }
        trace_file_rewind(directory->locations[i].file);
    }
    *first = *first == UINT64_MAX ? 0 : *first;
    if (failed)
        snprintf(error, error_size, "out of memory");
    free(block);
    return size >= 0 && !failed;
}

bool trace_functions_mark_counted(struct trace_functions *functions, bool *counted, uint32_t count)
{
    for (uint32_t process = 0; process < functions->process_count; process++) {
        const struct profile_file *profile = functions->processes[process].profile;
        for (uint32_t id = PCOMP_FUNCTION_FIRST; profile && id < profile->function_count; id++) {
            const struct pcomp_function *function = profile->functions[id];
            if (!(function->flags & PCOMP_FUNCTION_COUNTED))
                continue;
            uint32_t number = trace_functions_find(functions, process, trace_modules_value(profile, function));
            if (number == UINT32_MAX)
                return false;
            if (number < count)
                counted[number] = true;
        }
    }
    return true;
}

uint32_t trace_functions_count(const struct trace_functions *functions)
{
    return functions->table.count;
}

bool trace_functions_resolve(struct trace_functions *functions, void (*warn)(void *context, const char *text),
                             void *context)
{
    struct name_options options = {.symbols = true, .names = NAMES_SHORT, .warn = warn, .context = context};
    return function_table_resolve(&functions->table, &functions->texts, &options);
}

const char *trace_functions_name(const struct trace_functions *functions, uint32_t function)
{
    return functions->table.functions[function].name;
}

char *trace_functions_command(const struct trace_functions *functions, uint32_t process)
{
    const struct profile_file *profile = functions->processes[process].profile;
    size_t size;
    const char *block = profile ? profile_text_block(profile, profile->header.command_link, &size) : NULL;
    char *command = block && *block ? malloc(size + 1) : NULL;
    size_t at = 0;
    for (; command && at < size && (block[at] || (at + 1 < size && block[at + 1])); at++)
        command[at] = block[at] ? block[at] : ' ';
    if (command)
        command[at] = 0;
    return command;
}
