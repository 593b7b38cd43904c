/* Whose a sample is: the library's where it is in its code, or on a stack of its own; else the program's. */
#include "profiler/control/sampled_stack.h"

#include "profiler/base/own_stack.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/control/sample_signal.h"
#include "profiler/stack/shadow.h"

#include <criterion/criterion.h>

#define OWN_TOP  UINT64_C(0x7f0000100000)
#define OWN_SIZE UINT64_C(0x40000)
#define PROGRAM  UINT64_C(0x7ffff0000000)
#define LEAF     UINT64_C(0x401000)

static struct pcomp_header header;
struct pcomp_header *store_header = &header;
uint64_t shadow_stride = sizeof(struct pcomp_frame);
__thread char *sampler_stack;
static struct stack_place leaf;
static unsigned added;

bool own_stack_holds(uint64_t address)
{
    return OWN_TOP - address < OWN_SIZE;
}

bool sites_in_slot(uint64_t pc)
{
    (void)pc;
    return false;
}

bool call_frames_read_begin(void)
{
    return true;
}

void call_frames_read_end(void) {}

unsigned call_frames_places(const struct frame_registers *r, const struct frame_stack *stack, struct frame_place *out,
                            unsigned room)
{
    (void)stack;
    (void)room;
    out[0] = (struct frame_place){.pc = r->value[FRAME_PC], .below = r->value[FRAME_SP]};
    return 1;
}

bool call_frames_leaf(struct frame_registers *r, const struct frame_stack *stack, struct frame_place *frame)
{
    (void)r;
    (void)stack;
    (void)frame;
    return false;
}

bool call_frames_step(struct frame_registers *r, const struct frame_stack *stack)
{
    (void)r;
    (void)stack;
    return false;
}

uint64_t own_stack_program(void)
{
    return PROGRAM;
}

uint64_t own_stack_top(void)
{
    return 0;
}

bool stack_samples_add(struct stack_samples *s, uint32_t thread, const struct stack_place *places, unsigned count,
                       uint32_t weight)
{
    (void)s;
    (void)thread;
    (void)weight;
    leaf = places[0];
    added += count;
    return true;
}

/* The place of a sample there. */
static uint64_t sampled(uint64_t pc, uint64_t sp)
{
    static struct sampled_stacks to;
    static struct pcomp_thread thread;
    static struct thread_state h;
    static struct pcomp_frame root = {.function = FRAME_ROOT};
    const struct frame_stack stack = {sp, sp, NULL};
    struct frame_registers r = {{0}};
    r.value[FRAME_PC] = pc;
    r.value[FRAME_SP] = sp;
    h.thread = &thread;
    sampled_stack_add(&to, &h, &root, &r, &stack, 0, 1);
    return leaf.pc;
}

Test(sampled_stack, samples_on_the_stack_of_the_program_are_where_they_are)
{
    cr_assert_eq(sampled(LEAF, PROGRAM), LEAF);
    cr_assert_eq(sampled(LEAF, OWN_TOP + 8), LEAF);
}

Test(sampled_stack, samples_on_a_stack_of_the_library_are_its_own)
{
    static char stack[SAMPLER_STACK_SIZE + 16];
    uint64_t top = (uint64_t)(uintptr_t)(stack + SAMPLER_STACK_SIZE);
    cr_assert_eq(sampled(LEAF, OWN_TOP - 256), PCOMP_STACK_LIBRARY);
    cr_assert_eq(sampled(LEAF, top - 256), LEAF, "no handler has a stack yet");
    sampler_stack = stack + SAMPLER_STACK_SIZE;
    cr_assert_eq(sampled(LEAF, top - 256), PCOMP_STACK_LIBRARY);
    cr_assert_eq(sampled(LEAF, top + 8), LEAF);
    cr_assert_eq(sampled(LEAF, top - SAMPLER_STACK_SIZE - 8), LEAF);
}
