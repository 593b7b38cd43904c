/* The modules (executable, shared libraries, plug-ins) that instrumented functions lie in. Called with signals blocked
 * and the lock of profiler/code/functions.c held. */
#ifndef PCOMP_MODULES_H
#define PCOMP_MODULES_H

#include "profiler/format/profile_format.h"

#include <link.h>
#include <stdbool.h>

#define MODULE_NONE UINT32_MAX

/* Id of the module that `address` lies in, registered on first sight; MODULE_NONE: none. A module that is loaded again,
 * to where it was, keeps its id. */
uint32_t module_of(uint64_t address);

/* The same of a module that is registered: without the loader. */
uint32_t module_known(uint64_t address);

/* Registers all modules that are loaded. False: none was loaded since the last time. */
bool modules_register_all(void);

/* The record, NULL for MODULE_NONE. */
struct pcomp_module *module_record(uint32_t id);

/* Path of a module as in its record. */
const char *module_path(uint32_t id);

/* Marks modules that are not loaded any more; calls `gone` with the address range of each. Does nothing where none was
 * unloaded since the last time. */
void modules_drop_unloaded(void (*gone)(uint64_t start, uint64_t end));

/* Calls `function` with the program headers of the module that `address` lies in. False: there is none. Needs no lock.
 */
bool module_headers(uint64_t address, void (*function)(const struct dl_phdr_info *, void *), void *argument);

/* Calls `visit` with the program headers of every loaded module. It must not load anything. */
void modules_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument);

/* Whether the program was linked statically: libraries that it loads would bring a second libc. Needs no lock. */
bool modules_program_is_static(void);

/* Forgets everything (child of a fork). */
void modules_forget(void);

#endif
