/* One function of an otherwise untouched program is timed, or slowed down. x86-64, one thread.
 *
 * bench/accuracy.d/mark_sites.awk puts a nop as long as a call where chosen functions begin, into the compiler's
 * assembly output, and its address and the function's name into the section bench_sites. So the code of the program is
 * what it is without. Linked into that program, this file turns the nops of one function into calls before main:
 *
 *   BENCH_SITE=NAME        the function
 *   BENCH_SITE_STEPS=N     slow it down: each call takes N steps of a dependent chain, between fences that keep it from
 *                          overlapping with the program. Not given: time it, by replacing the return address of its
 *                          outermost activations
 *   BENCH_SITE_FILE=FILE   gets a line "calls outermost inclusive-ns abandoned slowdown-ns" at exit: calls; outermost
 *                          activations that returned; their time, less what measuring it takes; activations left by a
 *                          jump or exit(); what a call was slowed down by
 *
 * The thunks keep all registers but the flags, which mean nothing at the start of a function. */
#include "bench/programs/bench_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __x86_64__
#error "sites are x86-64 code"
#endif

struct site {
    unsigned char *code;
    const char *name;
};
extern const struct site __start_bench_sites[], __stop_bench_sites[];

/* The thunks' variables. slot: where the outermost activation's return address was, 0 outside. */
__attribute__((used)) static uint64_t site_calls, site_outermost, site_abandoned, site_ticks, site_slot, site_return,
    site_begin, site_steps;

void bench_site_time(void);
void bench_site_spin(void);
void bench_site_empty(void);

__asm__(".text\n"
        /* Above it on the stack: the site, then the return address of the function. */
        "bench_site_time:\n"
        "    pushq %rax\n"
        "    pushq %rdx\n"
        "    pushq %rcx\n"
        "    incq site_calls(%rip)\n"
        "    leaq 32(%rsp), %rcx\n"
        "    movq site_slot(%rip), %rax\n"
        "    cmpq %rcx, %rax\n"
        "    ja 2f\n" /* inside an activation further up */
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    incq site_abandoned(%rip)\n"
        "1:  movq %rcx, site_slot(%rip)\n"
        "    movq (%rcx), %rax\n"
        "    movq %rax, site_return(%rip)\n"
        "    leaq bench_site_returned(%rip), %rax\n"
        "    movq %rax, (%rcx)\n"
        "    rdtsc\n"
        "    shlq $32, %rdx\n"
        "    orq %rdx, %rax\n"
        "    movq %rax, site_begin(%rip)\n"
        "2:  popq %rcx\n"
        "    popq %rdx\n"
        "    popq %rax\n"
        "    ret\n"
        "bench_site_returned:\n"
        "    subq $8, %rsp\n" /* room for the address to go on at */
        "    pushq %rax\n"
        "    pushq %rdx\n"
        "    rdtsc\n"
        "    shlq $32, %rdx\n"
        "    orq %rdx, %rax\n"
        "    subq site_begin(%rip), %rax\n"
        "    addq %rax, site_ticks(%rip)\n"
        "    incq site_outermost(%rip)\n"
        "    movq $0, site_slot(%rip)\n"
        "    movq site_return(%rip), %rax\n"
        "    movq %rax, 16(%rsp)\n"
        "    popq %rdx\n"
        "    popq %rax\n"
        "    ret\n"
        "bench_site_empty:\n"
        "    call bench_site_time\n"
        "    ret\n"
        "bench_site_spin:\n" /* most samples of a slowed function are here: they have to find their caller */
        ".cfi_startproc\n"
        "    pushq %rax\n.cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n.cfi_adjust_cfa_offset 8\n"
        "    incq site_calls(%rip)\n"
        "    movq site_steps(%rip), %rcx\n"
        "    movl $3, %eax\n"
        "    lfence\n"
        "1:  imulq %rax, %rax\n"
        "    addq $5, %rax\n"
        "    decq %rcx\n"
        "    jnz 1b\n"
        "    lfence\n"
        "    popq %rcx\n.cfi_adjust_cfa_offset -8\n"
        "    popq %rax\n.cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        ".cfi_endproc\n");

static uint64_t start_ticks, own_ticks_1024;
static int64_t start_ns;
static double slowdown_ns;

enum { BATCHES = 31, BATCH = 128 };

/* What timing a function that does nothing measures, in 1/1024 ticks. */
static void calibrate_own(void)
{
    uint64_t min = UINT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        site_ticks = 0;
        for (int i = 0; i < BATCH; i++)
            bench_site_empty();
        if (site_ticks < min)
            min = site_ticks;
    }
    own_ticks_1024 = min * 1024 / BATCH;
    site_ticks = site_calls = site_outermost = 0;
}

static void calibrate_slowdown(void)
{
    double batches[BATCHES];
    int64_t took = 0;
    uint64_t calls = 1;
    for (; took < 200000; calls *= 2) {
        int64_t begin = bench_cpu_ns();
        for (uint64_t i = 0; i < calls; i++)
            bench_site_spin();
        took = bench_cpu_ns() - begin;
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t begin = bench_cpu_ns();
        for (uint64_t i = 0; i < calls; i++)
            bench_site_spin();
        batches[batch] = (double)(bench_cpu_ns() - begin) / (double)calls;
    }
    slowdown_ns = bench_median(batches, BATCHES);
    site_calls = 0;
}

/* A call in place of the nop. */
static int turn_on(unsigned char *code, void (*thunk)(void))
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)code & ~(page - 1);
    size_t size = (((uintptr_t)code + 5) | (page - 1)) + 1 - first;
    int32_t distance = (int32_t)((intptr_t)thunk - (intptr_t)(code + 5));
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC))
        return 0;
    code[0] = 0xe8;
    memcpy(code + 1, &distance, sizeof distance);
    return mprotect((void *)first, size, PROT_READ | PROT_EXEC) == 0;
}

static const char *value_in(char *const *environment, const char *name)
{
    size_t length = strlen(name);
    for (; *environment; environment++)
        if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

/* Before the constructors of libraries: a library that replaces the program's pages, to turn its sleds on and off, must
 * find the calls in them. Pages that are written later no longer follow it. libc knows no environment yet. */
static void start(int argc, char **argv, char **environment)
{
    const char *name = value_in(environment, "BENCH_SITE"), *steps = value_in(environment, "BENCH_SITE_STEPS");
    int found = 0;
    (void)argc;
    (void)argv;
    if (!name)
        return;
    if (steps) {
        site_steps = strtoull(steps, NULL, 10) + 1;
        calibrate_slowdown();
    } else {
        calibrate_own();
    }
    for (const struct site *site = __start_bench_sites; site < __stop_bench_sites; site++)
        if (!strcmp(site->name, name))
            found += turn_on(site->code, steps ? bench_site_spin : bench_site_time);
    if (!found) {
        fprintf(stderr, "function_site: %s: no such site\n", name);
        _exit(1);
    }
    start_ns = bench_clock_ns(CLOCK_MONOTONIC);
    start_ticks = bench_ticks();
}

__attribute__((section(".preinit_array"), used)) static void (*const starts)(int, char **, char **) = start;

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("BENCH_SITE_FILE");
    if (!start_ticks || !path)
        return;
    site_abandoned += site_slot != 0; /* exit() was called inside */
    double ns_a_tick = (double)(bench_clock_ns(CLOCK_MONOTONIC) - start_ns) / (double)(bench_ticks() - start_ticks);
    double ticks = (double)site_ticks - (double)(site_outermost * own_ticks_1024) / 1024;
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%" PRIu64 " %" PRIu64 " %.0f %" PRIu64 " %.3f\n", site_calls, site_outermost,
                         ticks * ns_a_tick, site_abandoned, slowdown_ns) < 0)
        perror("function_site: BENCH_SITE_FILE");
    if (file)
        fclose(file);
}
