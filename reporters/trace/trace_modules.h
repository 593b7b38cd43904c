/* Which module a function's address in a trace is of. Events have addresses alone, and one module may have lain where
 * another lies later. Where that was so in a process, the values of its events get a mark: the how manieth of the
 * modules that lay at the address, from 1; 0, without a mark: the one that lies there. Modules of one file are one. */
#ifndef PCOMP_TRACE_MODULES_H
#define PCOMP_TRACE_MODULES_H

#include "reporters/profile/profile_records.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_modules;

/* From the profile of the process; *modules is NULL where no module lay in another's place. False: out of memory. */
bool trace_modules_new(const struct profile_file *profile, struct trace_modules **modules);
void trace_modules_free(struct trace_modules *modules);

/* Marks the values of whole records, which have times of the process's own clock; nothing with `modules` NULL. */
void trace_modules_mark(const struct trace_modules *modules, void *records, size_t size);

/* Id in the profile of the module that a value, marked or not, leads into; PROFILE_NONE: none. */
uint32_t trace_modules_find(const struct profile_file *profile, uint64_t value);

/* The address, or that of a region's name, in a value. */
uint64_t trace_modules_address(uint64_t value);

/* The value that events have of the function of a profile. */
uint64_t trace_modules_value(const struct profile_file *profile, const struct pcomp_function *function);

#endif
