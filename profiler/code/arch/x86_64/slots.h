/* Slots: small pieces of code of ours, one for each site, within reach of the module that they belong to. A site calls
 * its slot; single bytes of the slot decide what the call does.
 *
 *   site          slot of an enter                                    what it leads to
 *   call ────▶  0 | mov %fs:counts, %r11 / jmp first   <- byte 0  ──▶ "first": whose site is this?
 *              10 | incq disp(%r11)                                   counter of the function, of this thread
 *              17 | ret / nop                          <- byte 17     counted  / timed:
 *              18 | mov $function, %r11  (sleds)
 *                 | jmp probe                                     ──▶ the timed probe
 *              38 | first, of the slot before: mov $site, %r11; jmp   (0x66 bytes behind the byte that jumps there)
 *
 * The first instruction begins with two prefixes 64 (fs); with eb in place of the first one, it is a jump over 0x64
 * bytes. Where calls are not counted, the slot begins with test $0x64, %al (a8 64) or the same jump (eb 64), and the
 * jump to the probe follows.
 *
 * Slots clobber r11 and flags, which no caller keeps across a call (sleds: the compiler is told, or does not know the
 * difference). They use no stack. A thread may stand anywhere in a slot while a byte changes: each instruction begins
 * and ends where it did. x86-64. */
#ifndef PCOMP_SLOTS_H
#define PCOMP_SLOTS_H

#include "profiler/code/modules/text_alias.h"

#include <stdbool.h>
#include <stdint.h>

enum site_kind { SITE_HOOK_ENTER, SITE_HOOK_EXIT, SITE_SLED_ENTER, SITE_SLED_RETURN, SITE_SLED_TAIL };

/* Where slots lead to. Each probe is reached by a jump. r11: of sleds the function, of the first call the site. */
struct slot_probes {
    uint64_t hook_enter, hook_exit;                         /* as the hooks are */
    uint64_t sled_enter, sled_return, sled_tail;            /* of sleds; keep all registers but r11 and flags */
    uint64_t hook_enter_first, hook_exit_first, sled_first; /* of a site that is not resolved */
};

struct slots {
    struct text_alias alias;
    uint32_t next_enter, next_exit; /* offset of the slots that are added next */
    bool counting;
};

/* Makes room for so many slots within reach of [start, end), to be written. counting: see above. Returns NULL, or what
 * the system does not allow. */
const char *slots_make(struct slots *slots, uint64_t start, uint64_t end, uint32_t enters, uint32_t exits,
                       bool counting, const struct slot_probes *probes);

/* Writes the next slot: of a sled's `function`; of `site`, an address that "first" is given. Returns its offset. */
uint32_t slots_add(struct slots *slots, enum site_kind kind, uint64_t function, uint64_t site, bool resolved);

/* Address of the slot, to be called (or jumped to). */
static inline uint64_t slot_address(const struct slots *slots, uint32_t slot)
{
    return slots->alias.start + slot;
}

/* The function of a sled. */
uint64_t slot_function(const struct slots *slots, uint32_t slot, enum site_kind kind);

/* Whether what stands at `pc`, in the slots, leads to a probe of every call that comes there: not where an enter is
 * counted alone. */
bool slots_lead_to_probe(const struct slots *slots, uint64_t pc);

/* Gives the counter a number; only while the slot is not resolved, and seen by all threads before it is. */
void slot_number(struct slots *slots, uint32_t slot, uint32_t number);

/* Whether it no longer leads to "first"; and whether an enter leads to the probe, too. One byte each. */
void slot_resolve(struct slots *slots, uint32_t slot, enum site_kind kind, bool resolved);
void slot_time(struct slots *slots, uint32_t slot, bool timed);

#endif
