/* Assembly that keeps the registers of arguments around a call. */
#ifndef PCOMP_ARGUMENTS_H
#define PCOMP_ARGUMENTS_H

#if defined(__x86_64__)
#define PUSH(reg) "push %" #reg "\n.cfi_adjust_cfa_offset 8\n"
#define POP(reg)  "pop %" #reg "\n.cfi_adjust_cfa_offset -8\n"

#define PUSH_ARGUMENTS PUSH(rdi) PUSH(rsi) PUSH(rdx) PUSH(rcx) PUSH(r8) PUSH(r9)
#define POP_ARGUMENTS  POP(r9) POP(r8) POP(rcx) POP(rdx) POP(rsi) POP(rdi)
#endif

#endif
