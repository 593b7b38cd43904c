#include "profiler/code/sites/call_frames.h"

#include "profiler/base/spin.h"
#include "profiler/code/sites/frame_rows.h"
#include "profiler/code/sites/module_code.h"
#include "profiler/code/sites/site_module.h"

#include <string.h>
#include <time.h>

#define CODES_MAX 128u

static struct spin lock;
static struct module_code codes[CODES_MAX]; /* of all modules; end 0: free */
static unsigned used;
static uint64_t forgotten; /* times that modules were */

/* --- the module and the entry of an address --------------------------------------------------------------------------
 */

static struct module_code *known_code(uint64_t pc)
{
    for (unsigned i = 0; i < __atomic_load_n(&used, __ATOMIC_ACQUIRE); i++)
        if (pc >= codes[i].start && pc < codes[i].end)
            return &codes[i];
    return NULL;
}

/* Unless a module was forgotten since `when`: it may be this one. */
static const struct module_code *know(const struct module_code *found, uint64_t when)
{
    spin_lock(&lock);
    struct module_code *code = known_code(found->start);
    for (unsigned i = 0; !code && when == forgotten && i < CODES_MAX; i++)
        if (!codes[i].end) {
            code = &codes[i];
            *code = *found;
            if (i >= used)
                __atomic_store_n(&used, i + 1, __ATOMIC_RELEASE);
        }
    spin_unlock(&lock);
    return code;
}

/* The dynamic linker's lock is held: no module is unloaded meanwhile. */
static void register_code(const struct module_code *code)
{
    know(code, __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE));
}

void call_frames_register_all(void)
{
    module_code_each(register_code);
}

/* --- one frame after the other
 * ---------------------------------------------------------------------------------------- */

static void forget(uint64_t start, uint64_t end)
{
    __atomic_store_n(&forgotten, forgotten + 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < used; i++)
        if (codes[i].start >= start && codes[i].end <= end)
            codes[i] = (struct module_code){0};
}

/* No constant, or the compiler would use it. */
bool call_frames_unloads_intercepted __attribute__((weak));

/* It does not go away while it is looked into: unloading waits for that, or it is the module that this library is in.
 */
static bool stays(const struct module_code *code)
{
    uint64_t own = (uint64_t)(uintptr_t)call_frames_places;
    return code && (call_frames_unloads_intercepted || (own >= code->start && own < code->end));
}

/* The rule of the function that `pc` lies in, there. False: not known. */
static bool find(uint64_t pc, struct frame_row *row)
{
    uint64_t generation = __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE);
    if (frame_rows_find(pc, generation, row))
        return true;
    const struct module_code *code = known_code(pc);
    if (!stays(code))
        return false;
    uint32_t i = module_code_search(code, pc);
    const uint8_t *entry = i != UINT32_MAX ? module_code_entry(code, i) : NULL;
    if (!entry || !frame_rules_find(entry, pc, row))
        return false;
    frame_rows_keep(pc, generation, row);
    return true;
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

bool call_frames_step(struct frame_registers *r, const struct frame_stack *stack)
{
    struct frame_row row;
    if (!find(r->value[FRAME_PC], &row) || !frame_rules_apply(&row, stack, r))
        return false;
    r->value[FRAME_PC]--; /* inside the call */
    return true;
}

/* Whether the instruction before is a call: e8 and a distance, or ff /2 with what says where the destination lies. */
static bool is_behind_call(const struct module_code *code, uint64_t address)
{
    enum { CALL_MAX = 7 };
    const uint8_t *at = (const uint8_t *)(uintptr_t)address;
    if (address < code->start + CALL_MAX || address >= code->end)
        return false;
    bool is_call = at[-5] == 0xe8;
    for (int i = 2; i <= CALL_MAX && !is_call; i++)
        is_call = at[-i] == 0xff && (at[1 - i] & 0x38) == 0x10;
    return is_call;
}

bool call_frames_leaf(struct frame_registers *r, const struct frame_stack *stack, struct frame_place *frame)
{
    struct frame_row row;
    uint64_t sp = r->value[FRAME_SP], pc = r->value[FRAME_PC], to;
    if (sp < stack->low || sp + 8 > stack->high || sites_in_slot(pc) || find(pc, &row))
        return false;
    __builtin_memcpy(&to, stack->bytes + (sp - stack->low), 8);
    const struct module_code *code = known_code(to);
    if (!stays(code) || !is_behind_call(code, to))
        return false;
    *frame = (struct frame_place){.pc = pc, .below = sp, .above = sp + 8};
    r->value[FRAME_PC] = to - 1;
    r->value[FRAME_SP] = sp + 8;
    return true;
}

unsigned call_frames_places(const struct frame_registers *registers, const struct frame_stack *stack,
                            struct frame_place *out, unsigned room)
{
    struct frame_registers r = *registers;
    unsigned depth = 0;
    leave_slot(&r, stack);
    for (uint64_t pc = r.value[FRAME_PC]; pc && depth < room; pc = r.value[FRAME_PC] - 1) {
        struct frame_place frame = {.pc = pc, .below = r.value[FRAME_SP]};
        struct frame_row row;
        bool known = find(pc, &row) && frame_rules_apply(&row, stack, &r) && r.value[FRAME_SP] > frame.below;
        frame.above = known ? r.value[FRAME_SP] : 0;
        out[depth++] = frame;
        if (!known || !r.value[FRAME_PC])
            break;
    }
    return depth;
}

bool call_frames_in_one_function(uint64_t pc, uint64_t other)
{
    const struct module_code *code = known_code(pc);
    if (!stays(code) || other < code->start || other >= code->end)
        return false;
    uint32_t entry = module_code_search(code, pc);
    return entry != UINT32_MAX && entry == module_code_search(code, other);
}

/* --- unloading -------------------------------------------------------------------------------------------------------
 */

static unsigned unloading, looking;
static struct spin checking; /* taken before the dynamic linker's lock, which is taken before `lock` */
static struct {
    const uint8_t *index; /* of the module that was known when the check began */
    bool loaded;
} checked[CODES_MAX];

static void find_loaded(const struct module_code *code)
{
    spin_lock(&lock);
    for (unsigned i = 0; i < used; i++)
        checked[i].loaded |= codes[i].start == code->start && codes[i].end == code->end;
    spin_unlock(&lock);
}

/* Modules without hooks are unloaded, too. */
static void forget_unloaded(void)
{
    sigset_t saved;
    signals_block(&saved);
    spin_lock(&checking);
    for (unsigned i = 0; i < CODES_MAX; i++) {
        checked[i].index = codes[i].index;
        checked[i].loaded = false;
    }
    module_code_each(find_loaded);
    spin_lock(&lock);
    for (unsigned i = 0; i < used; i++)
        if (codes[i].end && !checked[i].loaded && codes[i].index == checked[i].index)
            forget(codes[i].start, codes[i].end);
    spin_unlock(&lock);
    spin_unlock(&checking);
    signals_restore(&saved);
}

void call_frames_unload(bool done)
{
    if (done) {
        if (used)
            forget_unloaded();
        __atomic_sub_fetch(&unloading, 1, __ATOMIC_SEQ_CST);
        return;
    }
    __atomic_add_fetch(&unloading, 1, __ATOMIC_SEQ_CST);
    struct timespec moment = {0, 50000}; /* the other may have the lower priority */
    while (__atomic_load_n(&looking, __ATOMIC_SEQ_CST))
        raw_call(SYS_nanosleep, (long)(uintptr_t)&moment, 0, 0, 0);
}

bool call_frames_read_begin(void)
{
    __atomic_add_fetch(&looking, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&unloading, __ATOMIC_SEQ_CST))
        return true;
    call_frames_read_end();
    return false;
}

void call_frames_read_end(void)
{
    __atomic_sub_fetch(&looking, 1, __ATOMIC_SEQ_CST);
}

void call_frames_forget(uint64_t start, uint64_t end)
{
    spin_lock(&lock);
    forget(start, end);
    spin_unlock(&lock);
}

void call_frames_fork(void)
{
    unloading = looking = 0;
    lock.taken = checking.taken = 0;
}
