/* Writing a trace event in 16 bytes, as trace_short() of profiler/trace/trace_record.h. x86-64. */
#ifndef PCOMP_RECORD_TEXT_H
#define PCOMP_RECORD_TEXT_H

/* rdi: the function, which becomes `what`; r8: thread_state. Jumps to label `full` at the end of the buffer; `again`
 * is the label of this text. */
#define RECORD_TEXT(again, full, limit, bit)                                                                           \
    again ": movq %c[cursor](%%r8), %%r9\n"                                                                            \
          "cmpq %c[" limit "](%%r8), %%r9\n"                                                                           \
          "jae " full "f\n"                                                                                            \
          "rdtsc\n"                                                                                                    \
          "shlq $32, %%rdx\n"                                                                                          \
          "orq %%rax, %%rdx\n"                                                                                         \
          "movq %%r9, %%rax\n"                                                                                         \
          "leaq 16(%%r9), %%rcx\n"                                                                                     \
          "cmpxchgq %%rcx, %c[cursor](%%r8)\n"                                                                         \
          "jne " again "b\n"                                                                                           \
          "btsq %[" bit "], %%rdi\n"                                                                                   \
          "movq %%rdx, (%%r9)\n"                                                                                       \
          "movq %%rdi, 8(%%r9)\n"

#endif
