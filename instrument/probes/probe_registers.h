/* Registers that probes keep: pieces of their assembly code, and the vector registers. x86-64. */
#ifndef PCOMP_PROBE_REGISTERS_H
#define PCOMP_PROBE_REGISTERS_H

#include <stdint.h>

#define NAKED __attribute__((naked, used))

/* How vector registers are saved; read by CALL_APART. */
struct vectors {
    uint64_t size; /* of the area, a multiple of 64 */
    uint32_t mask; /* components */
    uint32_t save; /* enum save */
};
extern struct vectors probe_vectors __attribute__((visibility("hidden")));

/* Finds what this processor has; before the first probe. */
void probe_registers_start(void);

/* A handler of the program's that unwinds the stack may interrupt any instruction here. */
#define PUSHED "\n.cfi_adjust_cfa_offset 8\n"
#define POPPED "\n.cfi_adjust_cfa_offset -8\n"

/* Calls `target` with the arguments in their registers and keeps every vector register; rax and the registers that a
 * call does not keep are lost. Vector registers need up to 3 KiB: on the thread's own stack
 * (profiler/base/own_stack.h).
 *
 *   rbp-8 ... rbp-48   arguments, later the result     rbp-56   signal mask of before     rbp-64   0: on no other stack
 */
#define CALL_APART(target)                                                                                             \
    "push %%rbp" PUSHED ".cfi_rel_offset %%rbp, 0\n"                                                                   \
    "movq %%rsp, %%rbp\n.cfi_def_cfa_register %%rbp\n"                                                                 \
    "push %%rdi\n"                                                                                                     \
    "push %%rsi\n"                                                                                                     \
    "push %%rdx\n"                                                                                                     \
    "push %%rcx\n"                                                                                                     \
    "push %%r8\n"                                                                                                      \
    "push %%r9\n"                                                                                                      \
    "subq $24, %%rsp\n"                                                                                                \
    "andq $-16, %%rsp\n"                                                                                               \
    "leaq -56(%%rbp), %%rdi\n"                                                                                         \
    "call own_stack_enter\n"                                                                                           \
    "movq %%rax, -64(%%rbp)\n"                                                                                         \
    "movq -8(%%rbp), %%rdi\n"                                                                                          \
    "movq -16(%%rbp), %%rsi\n"                                                                                         \
    "movq -24(%%rbp), %%rdx\n"                                                                                         \
    "movq -32(%%rbp), %%rcx\n"                                                                                         \
    "movq -40(%%rbp), %%r8\n"                                                                                          \
    "movq -48(%%rbp), %%r9\n"                                                                                          \
    "testq %%rax, %%rax\n"                                                                                             \
    "cmovnzq %%rax, %%rsp\n"                                                                                           \
    "andq $-64, %%rsp\n"                                                                                               \
    "subq probe_vectors(%%rip), %%rsp\n"                                                                               \
    "movq %%rdx, %%r10\n"                                                                                              \
    "movl 8+probe_vectors(%%rip), %%eax\n"                                                                             \
    "xorl %%edx, %%edx\n"                                                                                              \
    "cmpl $1, 12+probe_vectors(%%rip)\n"                                                                               \
    "jb 91f\n"                                                                                                         \
    "movq %%rdx, 512(%%rsp)\n"                                                                                         \
    "movq %%rdx, 520(%%rsp)\n"                                                                                         \
    "movq %%rdx, 528(%%rsp)\n"                                                                                         \
    "movq %%rdx, 536(%%rsp)\n"                                                                                         \
    "movq %%rdx, 544(%%rsp)\n"                                                                                         \
    "movq %%rdx, 552(%%rsp)\n"                                                                                         \
    "movq %%rdx, 560(%%rsp)\n"                                                                                         \
    "movq %%rdx, 568(%%rsp)\n"                                                                                         \
    "ja 90f\n"                                                                                                         \
    "xsave64 (%%rsp)\n"                                                                                                \
    "jmp 92f\n"                                                                                                        \
    "90: xsavec64 (%%rsp)\n"                                                                                           \
    "jmp 92f\n"                                                                                                        \
    "91: fxsave64 (%%rsp)\n"                                                                                           \
    "92: movq %%r10, %%rdx\n"                                                                                          \
    "call " target "\n"                                                                                                \
    "movq %%rax, %%r10\n"                                                                                              \
    "movl 8+probe_vectors(%%rip), %%eax\n"                                                                             \
    "xorl %%edx, %%edx\n"                                                                                              \
    "cmpl $1, 12+probe_vectors(%%rip)\n"                                                                               \
    "jb 93f\n"                                                                                                         \
    "xrstor64 (%%rsp)\n"                                                                                               \
    "jmp 94f\n"                                                                                                        \
    "93: fxrstor64 (%%rsp)\n"                                                                                          \
    "94: leaq -72(%%rbp), %%rsp\n"                                                                                     \
    "andq $-16, %%rsp\n"                                                                                               \
    "cmpq $0, -64(%%rbp)\n"                                                                                            \
    "je 95f\n"                                                                                                         \
    "movq %%r10, -8(%%rbp)\n"                                                                                          \
    "leaq -56(%%rbp), %%rdi\n"                                                                                         \
    "call own_stack_leave\n"                                                                                           \
    "movq -8(%%rbp), %%r10\n"                                                                                          \
    "95: movq %%r10, %%rax\n"                                                                                          \
    "movq %%rbp, %%rsp\n.cfi_def_cfa_register %%rsp\n"                                                                 \
    "pop %%rbp" POPPED ".cfi_restore %%rbp\n"

#define SAVE_ALL                                                                                                       \
    "push %%rax" PUSHED "push %%rcx" PUSHED "push %%rdx" PUSHED "push %%rsi" PUSHED "push %%rdi" PUSHED                \
    "push %%r8" PUSHED "push %%r9" PUSHED "push %%r10" PUSHED
#define RESTORE_ALL                                                                                                    \
    "pop %%r10" POPPED "pop %%r9" POPPED "pop %%r8" POPPED "pop %%rdi" POPPED "pop %%rsi" POPPED "pop %%rdx" POPPED    \
    "pop %%rcx" POPPED "pop %%rax" POPPED

#endif
