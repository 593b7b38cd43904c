/* The end of a timed exit in assembler, as frame_account() in profiler/record/spreads.h, but for this: what goes into
 * its bucket is the time of the exit before at the same depth, since this one's is not there before the clock is. That
 * takes a processor 8 ns less a call. x86-64. */
#ifndef PCOMP_SPREAD_TEXT_H
#define PCOMP_SPREAD_TEXT_H

#include "profiler/record/spreads.h"

#define SPREAD_OPERANDS                                                                                                \
    [min] "i"(offsetof(struct pcomp_node, min)), [top] "i"(offsetof(struct pcomp_node, top)),                          \
        [spread] "i"(offsetof(struct pcomp_node, spread)), [filebase] "i"(offsetof(struct thread_state, base)),        \
        [pending] "i"(offsetof(struct timed_frame, pending.node))

/* Numbers in the text: an asm statement takes 30 operands. */
_Static_assert(PCOMP_BUCKET_BIAS == 16384 &&
                   offsetof(struct timed_frame, pending.time) == offsetof(struct timed_frame, pending.node) + 8 &&
                   offsetof(struct pcomp_spread, first) == 0 && offsetof(struct pcomp_spread, n) == 4 &&
                   offsetof(struct pcomp_spread, counts) == 16 && SPREAD_LONGEST == 0 && SPREAD_MISSED == 1 &&
                   SPREAD_WRAPPED == 2,
               "numbers in COUNT_BUCKET and RECORD_BUCKET");

/* rcx thread_state, rdx the compensated time; `node` and `frame`, pos of the frame, registers. Takes the frame off, and
 * goes on behind the text with rax, rcx, r8 and r11 lost. To 2: the least time so far, which goes on at 3. To 4: among
 * the longest, nothing was done. To 9: the bucket of the activation before (rax its node, rdx its time) is not covered;
 * to 10: its counter has wrapped. A time of -16 ticks has no first bit: its bucket is that of some address, which no
 * record covers. */
#define COUNT_BUCKET(node, frame)                                                                                      \
    "cmpq %c[min](%%" node "), %%rdx\n"                                                                                \
    "jl 2f\n"                                                                                                          \
    "3: cmpq %c[top](%%" node "), %%rdx\n"                                                                             \
    "jg 4f\n"                                                                                                          \
    "movq %c[pending](%%rcx,%%" frame "), %%rax\n"                                                                     \
    "movq %%" node ", %c[pending](%%rcx,%%" frame ")\n"                                                                \
    "movq %c[pending]+8(%%rcx,%%" frame "), %%r8\n"                                                                    \
    "movq %%rdx, %c[pending]+8(%%rcx,%%" frame ")\n"                                                                   \
    "movl %c[spread](%%rax), %%r11d\n"                                                                                 \
    "subq %[size], %c[pos](%%rcx)\n"                                                                                   \
    "movq %%r8, %%rdx\n"                                                                                               \
    "addq $16384, %%r8\n"                                                                                              \
    "shlq $6, %%r11\n"                                                                                                 \
    "addq %c[filebase](%%rcx), %%r11\n"                                                                                \
    "bsrq %%r8, %%rcx\n"                                                                                               \
    "subl $3, %%ecx\n"                                                                                                 \
    "shrq %%cl, %%r8\n"                                                                                                \
    "leal (%%r8,%%rcx,8), %%r8d\n"                                                                                     \
    "subl (%%r11), %%r8d\n"                                                                                            \
    "cmpl 4(%%r11), %%r8d\n"                                                                                           \
    "jae 9f\n"                                                                                                         \
    "incl 16(%%r11,%%r8,4)\n"                                                                                          \
    "jz 10f\n"

/* Behind it: gives spread_exit() its arguments and goes on at `go`. */
#define RECORD_BUCKET(node, go)                                                                                        \
    "2: movq %%rdx, %c[min](%%" node ")\n"                                                                             \
    "jmp 3b\n"                                                                                                         \
    "4: xorl %%r8d, %%r8d\n"                                                                                           \
    "movq %%" node ", %%rsi\n"                                                                                         \
    "jmp 11f\n"                                                                                                        \
    "9: movl $1, %%r8d\n"                                                                                              \
    "jmp 12f\n"                                                                                                        \
    "10: movl $2, %%r8d\n"                                                                                             \
    "12: movq current_thread@GOTTPOFF(%%rip), %%rcx\n"                                                                 \
    "movq %%fs:(%%rcx), %%rcx\n"                                                                                       \
    "movq %%rax, %%rsi\n"                                                                                              \
    "11: movq %%rcx, %%rdi\n"                                                                                          \
    "movl %%r8d, %%ecx\n" go

#endif
