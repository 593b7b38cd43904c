/* What probes of all kinds have in common: sleds that lead to a hook, and first calls. x86-64. */
#ifndef PCOMP_PROBE_TEXT_H
#define PCOMP_PROBE_TEXT_H

#include "instrument/probes/probe_registers.h"

/* The hook is given the stack address in r11. */
#define SLED_ENTER(hook)                                                                                               \
    SAVE_ALL "movq %%r11, %%rdi\n"                                                                                     \
             "movq 72(%%rsp), %%rsi\n"                                                                                 \
             "leaq 64(%%rsp), %%r11\n"                                                                                 \
             "call " hook "\n" RESTORE_ALL "ret\n"
#define SLED_RETURN(hook)                                                                                              \
    "push %%rax" PUSHED SAVE_ALL "movq %%r11, %%rdi\n"                                                                 \
    "movq 72(%%rsp), %%rsi\n"                                                                                          \
    "leaq 64(%%rsp), %%r11\n"                                                                                          \
    "call " hook "\n" RESTORE_ALL "lea 8(%%rsp), %%rsp" POPPED "ret\n"
#define SLED_TAIL(hook)                                                                                                \
    PUSHED SAVE_ALL "movq %%r11, %%rdi\n"                                                                              \
                    "movq 80(%%rsp), %%rsi\n"                                                                          \
                    "leaq 72(%%rsp), %%r11\n"                                                                          \
                    "subq $8, %%rsp" PUSHED "call " hook "\n"                                                          \
                    "addq $8, %%rsp" POPPED RESTORE_ALL "pop %%r11" POPPED "ret\n"

/* A function of the hooks' arguments says whether the hook is to run: r11 site. */
#define FIRST(decide, hook)                                                                                            \
    "push %%rdi" PUSHED "push %%rsi" PUSHED "leaq 16(%%rsp), %%rcx\n"                                                  \
    "movq %%r11, %%rdx\n"                                                                                              \
    "subq $8, %%rsp" PUSHED "call " decide "\n"                                                                        \
    "addq $8, %%rsp" POPPED "pop %%rsi" POPPED "pop %%rdi" POPPED "testb %%al, %%al\n"                                 \
    "jnz " hook "\n"                                                                                                   \
    "ret\n"

/* first_sled and first_sled_again return the function, 0: its probe is not to run. */
#define FIRST_SLED(probe)                                                                                              \
    SAVE_ALL "movq %%r11, %%rdi\n"                                                                                     \
             "push %%rdi" PUSHED "call first_sled_again\n"                                                             \
             "pop %%rdi" POPPED "cmpq %[unknown], %%rax\n"                                                             \
             "jne 1f\n"                                                                                                \
             "movq 72(%%rsp), %%rsi\n"                                                                                 \
             "leaq 64(%%rsp), %%rdx\n" CALL_APART("first_sled") "1: movq %%rax, %%r11\n" RESTORE_ALL                   \
                                                                "testq %%r11, %%r11\n"                                 \
                                                                "jnz " probe "\n"                                      \
                                                                "ret\n"

#endif
