/* The functions seen, their modules, and whether they are measured: decided once, at first sight. */
#ifndef PCOMP_FUNCTIONS_H
#define PCOMP_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct function_info {
    uint32_t id;
    bool skipped; /* filtered out: not measured */
};

/* Called with signals blocked; any thread. Look-ups of known functions take no lock. id is PCOMP_FUNCTION_BEYOND where
 * there is no room for the record. */
struct function_info function_find(uint64_t address);

/* Whether it was found before, and the id that it has then; PCOMP_FUNCTION_ROOT: it was not. Take no lock; signals need
 * not be blocked. */
bool function_is_known(uint64_t address);
uint32_t function_known_id(uint64_t address);

/* Until it is off again, every function is the first, and none is registered: the calibration's own must not be. */
void functions_calibrating(bool on);

/* The address of the function with this id; 0: there is none. Signals blocked. */
uint64_t function_address(uint32_t id);

/* Ids in use: all are below it. Any thread. */
uint32_t functions_count(void);

/* Sets flags (enum pcomp_function_flags) in a function's record. Signals blocked. */
void function_mark(uint32_t id, uint32_t flags);

/* Whether it is a manual region. Signals blocked. */
bool function_is_region(uint32_t id);

/* Registers a manual region: `name` is its identity (the address), its text is copied. */
struct function_info function_find_region(const char *name);

/* Registers the module that `address` lies in. Signals blocked; any thread. */
void functions_register_module(uint64_t address);

/* Registers all modules that are loaded now, unless another thread does so. False: none was loaded since the last time,
 * or another thread keeps it from looking. Signals blocked; any thread. */
bool functions_register_modules(void);

/* After a dlclose: forgets functions of modules that are gone, so that another module at the same addresses gets new
 * functions; `gone` is called with each address range first. Signals blocked. */
void functions_drop_unloaded(void (*gone)(uint64_t start, uint64_t end));

/* Writes the two special records; first call of a session, also in the child of a fork. */
void functions_start(void);

/* Behind it no function gets a record: the profile is about to be copied. Signals blocked. */
void functions_close(void);

#endif
