/* A walk by frame_rules meets the callers that backtrace(3) does, and from each instruction of a call those around it.
 */
#include "profiler/code/sites/frame_rules.h"

#include <alloca.h>
#include <criterion/criterion.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define FRAMES_MAX 64
#define PLAIN      __attribute__((noinline))

/* In libgcc: what the unwinder itself takes. */
struct bases {
    void *text, *data, *function;
};
const void *_Unwind_Find_FDE(void *pc, struct bases *bases);

static volatile int zero;
static unsigned met;

/* Both walks begin here; what the second step leads to is the caller of this function for both. */
static PLAIN int compare(void)
{
    void *expected[FRAMES_MAX];
    struct frame_registers r;
    struct bases bases;
    int count = backtrace(expected, FRAMES_MAX);
    frame_registers_read(&r);
    uint64_t low = r.value[FRAME_SP];
    const struct frame_stack stack = {low, low + (8u << 20), (const uint8_t *)(uintptr_t)low};
    uint64_t pc = r.value[FRAME_PC];
    int at = 0; /* a sanitizer's backtrace is itself in the list */
    for (bool first = true; at < count; first = false) {
        const void *entry = _Unwind_Find_FDE((void *)(uintptr_t)pc, &bases);
        struct frame_row row;
        cr_assert(entry && frame_rules_find(entry, pc, &row) && frame_rules_apply(&row, &stack, &r), "place %d of %d",
                  at, count);
        while (first && at < count && r.value[FRAME_PC] != (uint64_t)(uintptr_t)expected[at])
            at++;
        cr_assert_lt(at, count);
        cr_assert_eq(r.value[FRAME_PC], (uint64_t)(uintptr_t)expected[at], "place %d of %d", at, count);
        at++;
        if (r.value[FRAME_PC] == 0)
            break;
        pc = r.value[FRAME_PC] - 1;
        met++;
    }
    return zero;
}

static PLAIN int dynamic(int depth);

static PLAIN int aligned(int depth)
{
    _Alignas(64) volatile char room[256];
    room[depth] = 1;
    int below = dynamic(depth - 1);
    return below + room[depth] - 1;
}

static PLAIN int saving(int depth, long a, long b, long c, long d, long e)
{
    long f = a * b + zero, g = c ^ d, h = e - a, i = b + d;
    int below = depth ? aligned(depth - 1) : compare();
    return below + (int)((f + g + h + i) & zero);
}

static PLAIN int dynamic(int depth)
{
    volatile char *room = alloca((size_t)(depth * 24 + 16));
    room[0] = 0;
    if (depth <= 0)
        return compare();
    return saving(depth - 1, depth, depth * 3, depth * 5, depth * 7, depth * 11) + room[0];
}

static PLAIN int by_pointer(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return dynamic(9);
}

Test(frame_rules, callers_are_those_of_backtrace)
{
    cr_assert_eq(dynamic(12), 0);
    cr_assert_geq(met, 12u);
}

Test(frame_rules, frames_of_the_library_between_are_known)
{
    int two[2] = {1, 2};
    qsort(two, 2, sizeof(two[0]), by_pointer);
    cr_assert_geq(met, 11u);
}

/* --- from each instruction ----------------------------------------------------------------------------------------
 */

#define STEPS_MAX 12u

static volatile uint64_t stepped_low, stepped_high, stepped_rbx; /* the code that calls; what it has in a register */
static volatile unsigned steps, lost, changed;
static volatile uint64_t lost_at;

static bool reaches_the_caller(struct frame_registers *r, const struct frame_stack *stack)
{
    uint64_t pc = r->value[FRAME_PC];
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        struct bases bases;
        struct frame_row row;
        const void *entry = _Unwind_Find_FDE((void *)(uintptr_t)pc, &bases);
        if (pc >= stepped_low && pc <= stepped_high)
            return true;
        if (!entry || !frame_rules_find(entry, pc, &row) || !frame_rules_apply(&row, stack, r))
            return false;
        pc = r->value[FRAME_PC] - 1;
    }
    return false;
}

static void stepped(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    static const int names[] = {REG_RBX, REG_RBP, REG_RSP, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    static const int numbers[] = {3, 6, FRAME_SP, 12, 13, 14, 15, FRAME_PC};
    const greg_t *from = ((const ucontext_t *)context)->uc_mcontext.gregs;
    struct frame_registers r = {{0}};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        r.value[numbers[i]] = (uint64_t)from[names[i]];
    uint64_t low = r.value[FRAME_SP];
    const struct frame_stack stack = {low, low + (1u << 16), (const uint8_t *)(uintptr_t)low};
    steps++;
    if (!reaches_the_caller(&r, &stack)) {
        lost++;
        lost_at = (uint64_t)from[REG_RIP];
    } else if (r.value[3] != stepped_rbx && r.value[FRAME_PC] != (uint64_t)from[REG_RIP])
        changed++;
}

/* Calls work(text) with a known value in rbx and the processor stepping. */
int step_through(int (*work)(const char *text), const char *text, uint64_t rbx);
extern const char step_begin[], step_end[];
__asm__(".text\n.globl step_through\n.type step_through, @function\n.p2align 4\n"
        "step_through:\n.cfi_startproc\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx, 0\n"
        "mov %rdx, %rbx\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "pushf\n.cfi_adjust_cfa_offset 8\n"
        "orl $0x100, (%rsp)\n"
        "popf\n.cfi_adjust_cfa_offset -8\n"
        ".globl step_begin\nstep_begin:\n"
        "call *%rax\n"
        "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "pushf\n.cfi_adjust_cfa_offset 8\n"
        "andl $~0x100, (%rsp)\n"
        "popf\n.cfi_adjust_cfa_offset -8\n"
        ".globl step_end\nstep_end:\n"
        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\n"
        "ret\n"
        ".cfi_endproc\n.size step_through, . - step_through\n");

/* Registers to save and to take back, and calls into a library through the linker's table. */
static PLAIN int keeping(const char *text)
{
    size_t length = strlen(text), sum = 0;
    for (size_t i = 0; i < length; i++) {
        const char *at = strchr(text, text[i]);
        sum += at ? (size_t)(at - text) * length + i : strspn(text, "ab");
    }
    return (int)sum + abs((int)length - 2) + (int)strtol(text, NULL, 10);
}

Test(frame_rules, the_caller_is_known_at_each_instruction_of_a_call)
{
    struct sigaction by_steps = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO};
    struct bases bases;
    _Unwind_Find_FDE((void *)(uintptr_t)keeping, &bases); /* and what is called later is bound by now */
    int expected = keeping("12abba"), got;
    stepped_low = (uint64_t)(uintptr_t)step_begin;
    stepped_high = (uint64_t)(uintptr_t)step_end;
    stepped_rbx = UINT64_C(0x123456789abcdef0);
    sigaction(SIGTRAP, &by_steps, NULL);
    got = step_through(keeping, "12abba", stepped_rbx);
    cr_assert_eq(got, expected);
    cr_assert_gt(steps, 100u);
    cr_assert_eq(lost, 0, "%u of %u, the last one at %#lx (keeping is at %#lx)", lost, steps, (unsigned long)lost_at,
                 (unsigned long)(uintptr_t)keeping);
    cr_assert_eq(changed, 0, "%u of %u", changed, steps);
}
