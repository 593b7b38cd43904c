/* What is known of the machine code of a loaded module without its file: the executable segment, the functions that its
 * unwind table names, and the words through which it reaches the hooks. */
#ifndef PCOMP_MODULE_CODE_H
#define PCOMP_MODULE_CODE_H

#include "profiler/code/arch/x86_64/hook_call.h"

#include <stddef.h>

struct module_code {
    uint64_t start, end;  /* the executable segment that was asked for */
    bool writable;        /* it is: the program may write there itself */
    const uint8_t *index; /* PT_GNU_EH_FRAME: sorted (function, entry) pairs; NULL: none that is understood */
    uint32_t functions;   /* pairs */
    struct hook_targets targets;
};

/* Describes the module whose executable segment `address` lies in. enter, exit: the hooks. False: no such module.
 * Signals blocked; takes the dynamic linker's lock. */
bool module_code_find(uint64_t address, uint64_t enter, uint64_t exit, struct module_code *code);

/* Calls `visit` with every executable segment that is loaded, without hook targets of its own. Takes the dynamic
 * linker's lock: `visit` must not load anything. */
void module_code_each(void (*visit)(const struct module_code *code));

/* The entry of the i-th function in .eh_frame. */
const uint8_t *module_code_entry(const struct module_code *code, uint32_t i);

/* The range of the function that `address` lies in; returns its number. UINT32_MAX: none. */
uint32_t module_code_search(const struct module_code *code, uint64_t address);

/* The range of the i-th function; it lies inside the segment. False: not known. */
bool module_code_function(const struct module_code *code, uint32_t i, uint64_t *start, uint64_t *end);

#endif
