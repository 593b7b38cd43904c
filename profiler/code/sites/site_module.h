/* What is known of the sites of a module; shared by the files of this folder. sites_lock is held where one of these is
 * read or written. */
#ifndef PCOMP_SITE_MODULE_H
#define PCOMP_SITE_MODULE_H

#include "profiler/base/spin.h"
#include "profiler/code/arch/x86_64/slots.h"
#include "profiler/code/modules/text_alias.h"
#include "profiler/code/sites/module_code.h"
#include "profiler/code/sites/sled_map.h"

#include <stdbool.h>
#include <stdint.h>

#define SITE_MODULES_MAX 256u

enum site_flags {
    SITE_OUT = 2,     /* of a function that is not measured, or an exit of one that is not timed: stays off */
    SITE_PENDING = 4, /* reached, and not resolved yet */
    SITE_RESOLVED = 8 /* its slot no longer asks whose it is */
};

struct site {
    struct site *next;    /* of the same function, a ring; NULL: of a function that is not known yet */
    uint32_t start;       /* first byte of the instruction, from the start of the alias */
    uint32_t slot;        /* offset of its slot; 0: it leads to the hook itself */
    uint32_t function;    /* id of the function plus 1; 0: not known yet */
    uint8_t kind;         /* enum site_kind */
    uint8_t flags;        /* enum site_flags */
    uint8_t length;       /* of the instruction */
    uint8_t byte;         /* which one changes, from the first */
    uint8_t on, off;      /* its values */
    uint8_t calls_before; /* calls before it was reached, about */
};

/* What is known of a module is copied: it may be unloaded while the thread that switches looks at it. */
struct module_sites {
    struct text_alias alias;
    struct slots slots;
    uint64_t start, end; /* executable segment; end 0: free */
    struct site *sites;
    uint64_t mapped;   /* bytes of them */
    uint64_t stubs[4]; /* of the linker, that lead to the hooks */
    uint32_t stub_count;
    uint32_t count;
    uint32_t sleds; /* how many of the sites are sleds */
};

extern struct spin sites_lock;
extern struct module_sites site_modules[SITE_MODULES_MAX];
extern uint32_t site_module_count;

static inline bool site_is_enter(const struct site *s)
{
    return s->kind == SITE_HOOK_ENTER || s->kind == SITE_SLED_ENTER;
}

/* Its byte that changes, in the alias. */
static inline uint8_t *site_byte(const struct module_sites *m, const struct site *s)
{
    return m->alias.bytes + s->start + s->byte;
}

/* The module whose code `address` lies in; NULL: it is not known. */
struct module_sites *site_module_at(uint64_t address);

/* The module whose sites are in an array that `s` is an element of; NULL: it is gone. */
struct module_sites *site_module_of(const struct site *s);

/* Whether `pc` is in a slot, where the stack pointer points to the return address of the site. Needs no lock. */
bool sites_in_slot(uint64_t pc);

enum site_leads { SITE_LEADS_NOWHERE, SITE_COUNTS, SITE_LEADS_TO_PROBE };

/* What calls take at `pc` beside the program's own instructions: counting or the way to a probe, where it is in a slot,
 * or at a site that leads to one, on or (with `off`) off. Signals blocked; sites that are being switched may be missed.
 */
enum site_leads site_leads(uint64_t pc, bool off);

/* Whether `pc` is in a loop with a pause instruction, of a module with sites. Signals blocked. */
bool site_pauses(uint64_t pc);

/* Returns when every thread has seen what was stored before, and all that they stored before is seen. */
void sites_synchronise_start(void); /* before it is used; once a process */
void sites_synchronise(void);

/* Adds the sites of hook calls between `from` and `to`, as far as instructions are known. */
void site_find_hooks(struct module_sites *m, const struct hook_targets *targets, uint64_t from, uint64_t to);

/* The jumps of the linker's stubs are no sites of their own. */
void site_drop_stubs(struct module_sites *m);

/* Give each hook call, and a sled that is added, a slot and lead it there. The alias and the slots can be written; the
 * module is not executed from the alias yet. resolved: the slot need not ask whose it is. */
void site_lead_hooks(struct module_sites *m);
void site_add_sled(struct module_sites *m, const struct sled *sled, bool resolved);

#endif
