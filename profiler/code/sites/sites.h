/* Sites: where functions are entered and left and measurement can be switched, while any number of threads run through
 * them. x86-64. Two forms: calls of the hooks (-finstrument-functions) and sleds (sled_map.h); of each, a single byte
 * turns the site off (the call becomes an instruction that does nothing) and on again.
 *
 * With slots (slots.h), the sites of each function have a level of their own: timed, counted in place, or off.
 *
 * Sites are found when a function of a module is first seen, all of the module at once: every function that the
 * module's unwind table names is decoded from its first instruction, and an instruction that it arrives at is a site if
 * it calls the hook itself, or a word or stub that the module's relocations tie to the hook's name. A module without
 * that table (a static executable of gcc) is decoded from the functions that are reached. So neither data in between
 * nor the middle of an instruction is taken for a site, but for a chance of 2^-32 a byte of data inside a function.
 *
 * A site that no longer has the byte that was put there is left alone; so is code that the program may write itself.
 * Whatever else calls the hooks (through a pointer, say) is no site and stays on.
 *
 * Any thread, with signals blocked; one lock. */
#ifndef PCOMP_SITES_H
#define PCOMP_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/code/arch/x86_64/slots.h"
#include "profiler/code/sites/site_levels.h"

struct sites_found {
    uint32_t modules; /* with sites that can be switched */
    uint32_t enters, exits;
    uint32_t sleds;     /* of these */
    uint32_t bad_sleds; /* entries of maps that are wrong, and left alone */
    uint32_t refused;   /* modules whose sites stay as they are ... */
    uint64_t where;     /* an address in the last of these; 0: in none that is known */
    const char *why;    /* ... since the system did not allow this; or what is wrong with a map; NULL: none */
    bool filtering;     /* sites_filter */
};

/* Prepares; once a process. `enter` and `exit` are the hooks' addresses. NULL, or why sites stay on here. */
const char *sites_start(uint64_t enter, uint64_t exit);

/* What slots lead to, as a thread runs them (instrument/probes/probes.c). timed: every call is timed, or counted by its
 * slot; traced: recorded, or counted; any: in any other way. */
enum probes { PROBES_ANY, PROBES_TIMED, PROBES_TRACED };

/* NULL: not on this machine. Not thread-safe. */
const struct slot_probes *site_probes(enum probes kind);

/* The same as calls, for calibration: what a slot of a function that is timed leads to. */
struct site_kernels {
    void (*hook_enter)(void *function, void *site), (*hook_exit)(void *function, void *site);
    void (*sled)(uint64_t function);           /* a function that is nothing but its two sleds */
    void (*counted)(void), (*uncounted)(void); /* sixteen calls in a row that are counted in place, and not */
};
#define SITE_KERNEL_CALLS 16
const struct site_kernels *site_kernels(enum probes kind);

/* Sites that are found from now on lead to slots and these probes; counting: and are counted there. Sleds need slots.
 * sites_filter: functions may turn out to be filtered, so that sites ask whose they are. Before any module is
 * registered. */
void sites_use_slots(const struct slot_probes *lead_to, bool counting);
void sites_filter(void);

/* Whether sites ask whose they are when they are first reached (sites_reach). */
bool sites_ask(void);

/* Whether a module with sleds is loaded that is not known; and finds the sleds of all such. Signals blocked. */
bool sites_find_sleds(void);
void sites_register_sleds(void);

/* Finds the sites of the module that `function` lies in, unless they are known. They take the state that all have.
 * Nothing before sites_start. */
void sites_register(uint64_t function);

/* Turns all sites off for good, and finds before those of modules that nobody asked for, as far as they call the hooks.
 * When it returns, no thread executes the old instructions any more. Signals blocked, not within a hook. */
void sites_end(uint64_t enter, uint64_t exit);

/* The module at [start, end) is no longer loaded. */
void sites_forget(uint64_t start, uint64_t end);

/* Child of a fork, before anything else here: its sites are its own from now on, and all on. */
void sites_fork(void);

struct sites_found sites_known(void);

#endif
