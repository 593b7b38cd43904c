/* Calls by which a program forbids itself system calls, or to read the time stamp counter: measuring ends before them.
 * Only in the shared library (see jumps.c). */
#include "instrument/arguments.h"
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "profiler/process/lock_in.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

REAL(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d),
     (option, a, b, c, d));

/* A filter that is not there asks what the kernel offers. */
static bool prctl_locks_in(int option, unsigned long a, unsigned long b)
{
    return (option == PR_SET_SECCOMP && (a == SECCOMP_MODE_STRICT || (a == SECCOMP_MODE_FILTER && b))) ||
           (option == PR_SET_TSC && a == PR_TSC_SIGSEGV);
}

EXPORT int prctl(int option, ...)
{
    va_list list;
    unsigned long a[4];
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(list, unsigned long);
    va_end(list);
    if (prctl_locks_in(option, a[0], a[1]))
        lock_in();
    return real_prctl(option, a[0], a[1], a[2], a[3]);
}

#if defined(__x86_64__)
void system_call_locks_in(long number, long a, long b, long c);

void system_call_locks_in(long number, long a, long b, long c)
{
    if (number == SYS_prctl ? prctl_locks_in((int)a, (unsigned long)b, (unsigned long)c)
                            : a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c))
        lock_in();
}

/* As that of libc: whatever the call does with the stack, as a new thread on the same one, finds it as it would there.
 * A futex's arguments stay where they are (sync_futex.c). */
#define NUMBER_(name)        #name
#define NUMBER(name)         NUMBER_(name)
#define JUMP_IF(name, label) "cmp $" NUMBER(name) ", %rdi\nje " label "\n"
__asm__(".text\n.globl syscall\n.type syscall, @function\n.p2align 4\nsyscall:\n"
        ".cfi_startproc\n"
        "endbr64\n" JUMP_IF(__NR_seccomp, "2f") JUMP_IF(__NR_prctl, "2f")
            JUMP_IF(__NR_futex, "system_call_futex") "1: mov %rdi, %rax\n"
                                                     "mov %rsi, %rdi\n"
                                                     "mov %rdx, %rsi\n"
                                                     "mov %rcx, %rdx\n"
                                                     "mov %r8, %r10\n"
                                                     "mov %r9, %r8\n"
                                                     "mov 8(%rsp), %r9\n"
                                                     "syscall\n"
                                                     "cmp $-4095, %rax\n"
                                                     "jae 3f\n"
                                                     "ret\n"
                                                     "2: " PUSH_ARGUMENTS "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
                                                     "call system_call_locks_in\n"
                                                     "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n" POP_ARGUMENTS
                                                     "jmp 1b\n"
                                                     "3: push %rax\n.cfi_adjust_cfa_offset 8\n"
                                                     "call *__errno_location@GOTPCREL(%rip)\n"
                                                     "pop %rcx\n.cfi_adjust_cfa_offset -8\n"
                                                     "neg %ecx\n"
                                                     "mov %ecx, (%rax)\n"
                                                     "mov $-1, %rax\n"
                                                     "ret\n"
                                                     ".cfi_endproc\n.size syscall, . - syscall\n");
#endif
