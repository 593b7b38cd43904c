#include "profiler/code/sites/call_frames.h"

#include "profiler/code/sites/frame_rules.h"
#include "profiler/code/sites/module_code.h"
#include "profiler/code/sites/sites.h"
#include "profiler/spin.h"

#include <string.h>

#define CODES_MOST 128u
#define FIND_DEPTH 64u

static struct spin lock;
static struct module_code codes[CODES_MOST]; /* of all modules that were on a stack; end 0: free */
static unsigned used;

/* --- the module and the entry of an address --------------------------------------------------------------------------
 */

static struct module_code *known_code(uint64_t pc)
{
    for (unsigned i = 0; i < __atomic_load_n(&used, __ATOMIC_ACQUIRE); i++)
        if (pc >= codes[i].start && pc < codes[i].end)
            return &codes[i];
    return NULL;
}

static const struct module_code *know(const struct module_code *found)
{
    spin_lock(&lock);
    struct module_code *code = known_code(found->start);
    for (unsigned i = 0; !code && i < CODES_MOST; i++)
        if (!codes[i].end) {
            code = &codes[i];
            *code = *found;
            if (i >= used)
                __atomic_store_n(&used, i + 1, __ATOMIC_RELEASE);
        }
    spin_unlock(&lock);
    return code;
}

static const struct module_code *code_at(uint64_t pc)
{
    const struct module_code *code = known_code(pc);
    struct module_code found;
    return code || !module_code_find(pc, 0, 0, &found) ? code : know(&found);
}

static void meet(const struct module_code *code)
{
    know(code);
}

void call_frames_meet_all(void)
{
    module_code_each(meet);
}

/* The entry of the function that `pc` lies in. NULL: none. */
static const uint8_t *entry_at(const struct module_code *code, uint64_t pc, struct call_frame *frame)
{
    uint32_t i = code ? module_code_search(code, pc, &frame->function, &frame->end) : UINT32_MAX;
    return i != UINT32_MAX ? module_code_entry(code, i) : NULL;
}

/* --- one frame after the other
 * ---------------------------------------------------------------------------------------- */

/* The registers that calls keep, as they are in the caller of this function. */
static __attribute__((always_inline)) inline void read_registers(struct frame_registers *r)
{
#if defined(__x86_64__)
    __asm__ volatile("movq %%rbx, 24(%0)\n"
                     "movq %%rbp, 48(%0)\n"
                     "movq %%rsp, 56(%0)\n"
                     "movq %%r12, 96(%0)\n"
                     "movq %%r13, 104(%0)\n"
                     "movq %%r14, 112(%0)\n"
                     "movq %%r15, 120(%0)\n"
                     "leaq 0(%%rip), %%rax\n"
                     "movq %%rax, 128(%0)\n"
                     :
                     : "r"(r->value)
                     : "rax", "memory");
#else
    (void)r;
#endif
}

static void forget(uint64_t start, uint64_t end)
{
    for (unsigned i = 0; i < used; i++)
        if (codes[i].start >= start && codes[i].end <= end)
            codes[i] = (struct module_code){0};
}

void call_frames_walk(uint64_t sp, uint64_t high, struct call_frames *out)
{
    struct frame_registers r = {{0}};
    uint64_t bottom;
    read_registers(&r);
    out->count = 0;
    out->complete = false;
    bottom = r.value[FRAME_SP];
    struct frame_stack stack = {bottom, high, (const uint8_t *)(uintptr_t)bottom};
    for (bool innermost = true; out->count < sizeof(out->frames) / sizeof(out->frames[0]); innermost = false) {
        uint64_t pc = r.value[FRAME_PC];
        struct call_frame frame = {.below = r.value[FRAME_SP]};
        uint64_t at = innermost ? pc : pc - 1; /* behind a call */
        const uint8_t *entry = pc ? entry_at(code_at(at), at, &frame) : NULL;
        out->complete = !pc;
        if (!entry || !frame_rules_step(entry, at, &stack, &r))
            return;
        frame.above = r.value[FRAME_SP];
        if (frame.above <= frame.below)
            return;
        if (frame.above > sp + 8) /* not one of ours */
            out->frames[out->count++] = frame;
        if (!r.value[FRAME_PC]) {
            out->complete = true;
            return;
        }
    }
}

/* No constant, or the compiler would use it. */
bool call_frames_unloads_announced __attribute__((weak));

/* It does not go away while it is looked into: unloading waits for that, or it is the module that this library is in.
 */
static bool stays(const struct module_code *code)
{
    uint64_t own = (uint64_t)(uintptr_t)call_frames_find;
    return code && (call_frames_unloads_announced || (own >= code->start && own < code->end));
}

/* In a slot there is nothing between the stack pointer and the return address into the function whose site it is. */
static void leave_slot(struct frame_registers *r, const struct frame_stack *stack)
{
    uint64_t sp = r->value[FRAME_SP];
    if (!sites_in_slot(r->value[FRAME_PC]) || sp < stack->low || sp + 8 > stack->high)
        return;
    __builtin_memcpy(&r->value[FRAME_PC], stack->bytes + (sp - stack->low), 8);
    r->value[FRAME_PC]--; /* inside the site */
    r->value[FRAME_SP] = sp + 8;
}

uint64_t call_frames_find(const struct frame_registers *registers, const struct frame_stack *stack,
                          bool (*wanted)(uint64_t start, uint64_t end))
{
    struct frame_registers r = *registers;
    leave_slot(&r, stack);
    uint64_t pc = r.value[FRAME_PC];
    for (unsigned depth = 0; pc && depth < FIND_DEPTH; depth++) {
        struct call_frame frame = {.below = r.value[FRAME_SP]};
        const struct module_code *code = known_code(pc);
        const uint8_t *entry = stays(code) ? entry_at(code, pc, &frame) : NULL;
        if (!entry)
            return 0;
        if (wanted(frame.function, frame.end))
            return pc;
        if (!frame_rules_step(entry, pc, stack, &r) || r.value[FRAME_SP] <= frame.below || !r.value[FRAME_PC])
            return 0;
        pc = r.value[FRAME_PC] - 1;
    }
    return 0;
}

void call_frames_forget(uint64_t start, uint64_t end)
{
    spin_lock(&lock);
    forget(start, end);
    spin_unlock(&lock);
}

void call_frames_fork(void)
{
    lock.taken = 0;
}
