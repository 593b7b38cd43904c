/* The forms in which compilers and linkers call the two hooks, and the one byte that makes each do nothing.
 *
 *   compiled as                            bytes                      becomes
 *   call hook, call hook@PLT               e8 rel32                   a9 .. test $..., %eax
 *     the same behind an address-size      67 e8 rel32                67 a9 ..
 *     prefix (a linker's relaxed -fno-plt)
 *     the same with bnd                    f2 e8 rel32                81 e8 .. sub $..., %eax
 *   call *hook@GOTPCREL(%rip)              ff 15 rel32                8d 15 .. lea ...(%rip), %edx
 *     the same with bnd                    f2 ff 15 rel32             f2 8d 15 ..
 *   jmp hook (a tail call; bnd: f2 e9)     e9 rel32                   c3 ret
 *   jmp *hook@GOTPCREL(%rip) (bnd: f2 ff)  ff 25 rel32                c3
 *
 * A single byte is stored at once, on whatever side of a cache line it lies, and what it makes is as long as what was
 * there (but for ret, behind which nothing is executed): a processor runs the old instruction or the new one, and goes
 * on at the same place. They change what a call changes in any case: flags, eax, edx.
 *
 * endbr64 in front of the hook or of its stub is part of the target, not of the site. A stub is itself such a jump: the
 * caller tells it by the calls that lead there. Pure; thread-safe. */
#ifndef PCOMP_HOOK_CALL_H
#define PCOMP_HOOK_CALL_H

#include <stdbool.h>
#include <stdint.h>

#define HOOK_SLOTS 8 /* of a hook in one module; compilers and linkers make one or two */

enum hook { HOOK_ENTER, HOOK_EXIT };

struct hook_targets {
    uint64_t address[2];           /* of the hooks; by enum hook */
    uint64_t slots[2][HOOK_SLOTS]; /* words of the module that hold or will hold them (its global offset table) */
    unsigned slot_count[2];
    uint64_t text, text_end; /* stubs are read in here only */
};

struct hook_call {
    enum hook hook;
    unsigned byte;   /* which one changes, from the start of the instruction */
    uint8_t on, off; /* its values */
    uint64_t stub;   /* the linker's stub that it goes through; 0: none */
};

/* Whether the instruction of `length` bytes at `at`, with its opcode at `opcode`, calls one of the hooks. */
bool hook_call_recognise(const struct hook_targets *targets, const uint8_t *at, unsigned length, unsigned opcode,
                         struct hook_call *call);

/* Rewrites the call of `length` bytes in `bytes`, a copy of the code at `at`, so that it leads to `target` directly,
 * which lies within 2 GiB; call->byte, on and off become those of the new form:
 *
 *   call  e8, 67 e8, f2 e8, ff 15, f2 ff 15   ->   address-size prefixes, e8 rel32     off: a9
 *   jump  e9, f2 e9, ff 25, f2 ff 25          ->   e9 rel32, no-ops                    off: c3
 *
 * Instructions begin and end where they did. */
void hook_call_lead(struct hook_call *call, uint8_t *bytes, unsigned length, uint64_t at, uint64_t target);

#endif
