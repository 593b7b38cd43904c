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
#define SLOT     UINT64_C(0x300000) /* where calls are counted ... */
#define WAY      UINT64_C(0x300100) /* ... and where they lead to a probe */

static struct pcomp_header header;
struct pcomp_header *store_header = &header;
uint64_t shadow_stride = sizeof(struct pcomp_frame);
__thread char *sampler_stack;
static struct stack_place leaf;
static uint64_t stored[SAMPLED_FRAMES_MAX + 1]; /* program counters of the last sample */
static unsigned stored_count;

bool own_stack_holds(uint64_t address)
{
    return OWN_TOP - address < OWN_SIZE;
}

enum site_leads site_leads(uint64_t pc, bool off)
{
    (void)off;
    return pc == SLOT ? SITE_COUNTS : pc == WAY ? SITE_LEADS_TO_PROBE : SITE_LEADS_NOWHERE;
}

bool call_frames_read_begin(void)
{
    return true;
}

void call_frames_read_end(void) {}

/* Frames as they lie on a stack that was given: triples of pc, below and above, innermost first, up to a pc of 0. */
unsigned call_frames_places(const struct frame_registers *r, const struct frame_stack *stack, struct frame_place *out,
                            unsigned room)
{
    out[0] = (struct frame_place){.pc = r->value[FRAME_PC], .below = r->value[FRAME_SP]};
    if (!stack->bytes)
        return 1;
    unsigned count = 0;
    for (const struct frame_place *f = (const struct frame_place *)(const void *)stack->bytes; f->pc; f++)
        if (count < room)
            out[count++] = *f;
    return count;
}

bool call_frames_in_one_function(uint64_t pc, uint64_t other)
{
    return pc / 10 == other / 10;
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
    stored_count = count;
    for (unsigned i = 0; i < count; i++)
        stored[i] = places[i].pc;
    return true;
}

static struct sampled_stacks to;
static struct pcomp_thread thread;
static struct thread_state h = {.thread = &thread};
static struct pcomp_frame root = {.function = FRAME_ROOT};

/* The place of a sample there. */
static uint64_t sampled(uint64_t pc, uint64_t sp)
{
    const struct frame_stack stack = {sp, sp, NULL};
    struct frame_registers r = {{0}};
    r.value[FRAME_PC] = pc;
    r.value[FRAME_SP] = sp;
    sampled_stack_look(&to, &r, &stack);
    sampled_stack_add(&to, &h, &root, &r, 0, 1);
    return leaf.pc;
}

static void look(const struct frame_place *frames)
{
    const struct frame_registers r = {{0}};
    sampled_stack_look(&to, &r, &(struct frame_stack){PROGRAM, PROGRAM, (const uint8_t *)frames});
}

static void add_kept(const struct frame_place *frames)
{
    struct frame_registers r = {{0}};
    r.value[FRAME_PC] = frames->pc;
    r.value[FRAME_SP] = frames->below;
    sampled_stack_add_kept(&to, &h, &root, &r, &(struct frame_stack){PROGRAM, PROGRAM, (const uint8_t *)frames}, 0, 1);
}

#define FRAMES(...) ((const struct frame_place[]){__VA_ARGS__, {0}})
#define STORED(...)                                                                                                    \
    do {                                                                                                               \
        const uint64_t expected_[] = {__VA_ARGS__};                                                                    \
        cr_assert_eq(stored_count, sizeof(expected_) / sizeof(*expected_), "%u frames", stored_count);                 \
        cr_assert_arr_eq(stored, expected_, sizeof(expected_));                                                        \
    } while (0)

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

/* The program has gone on since, and to other functions; what called them has not returned. */
/* Its innermost frame is that of the function that was called. */
Test(sampled_stack, samples_in_code_that_counts_are_told_whatever_their_frames_are)
{
    const struct {
        uint64_t pc, told;
    } samples[] = {{SLOT, 3}, {WAY, 0}, {LEAF, 0}};
    const struct frame_stack stack = {
        PROGRAM, PROGRAM, (const uint8_t *)FRAMES({LEAF, PROGRAM, PROGRAM + 8}, {LEAF + 100, PROGRAM + 8, 0})};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct frame_registers r = {{0}};
        r.value[FRAME_PC] = samples[i].pc;
        r.value[FRAME_SP] = PROGRAM;
        header.slot_samples = 0;
        sampled_stack_look(&to, &r, &stack);
        sampled_stack_add(&to, &h, &root, &r, 0, 3);
        cr_expect_eq(header.slot_samples, samples[i].told);
        sampled_stack_add_kept(&to, &h, &root, &r, &stack, 0, 3);
        cr_expect_eq(header.slot_samples, 2 * samples[i].told);
    }
}

Test(sampled_stack, frames_around_a_kept_part_are_those_that_the_thread_still_has)
{
    look(FRAMES({90, 100, 150}, {33, 150, 300}, {2, 300, 400}, {1, 400, 500}));
    add_kept(FRAMES({4, 80, 150}, {32, 150, 0}));
    STORED(4, 32, 2, 1);
}

Test(sampled_stack, a_kept_part_that_ends_in_a_function_that_has_returned_stays_a_part)
{
    look(FRAMES({90, 100, 150}, {43, 150, 300}, {2, 300, 400}, {1, 400, 500}));
    add_kept(FRAMES({4, 80, 150}, {32, 150, 0}));
    STORED(4, 32);
    look(FRAMES({2, 300, 400}, {1, 400, 500}));
    add_kept(FRAMES({4, 80, 150}, {32, 150, 0}));
    STORED(4, 32);
    sampled_stack_look(&to, NULL, NULL);
    add_kept(FRAMES({4, 80, 150}, {32, 150, 0}));
    STORED(4, 32);
}

Test(sampled_stack, a_kept_part_of_another_stack_stays_a_part)
{
    look(FRAMES({33, 1150, 1300}, {2, 1300, 1400}));
    add_kept(FRAMES({4, 80, 150}, {32, 150, 0}));
    STORED(4, 32);
}

Test(sampled_stack, a_part_that_holds_all_frames_is_not_touched)
{
    look(FRAMES({90, 100, 150}, {3, 150, 300}, {2, 300, 400}, {1, 400, 0}));
    add_kept(FRAMES({4, 80, 150}, {3, 150, 300}, {2, 300, 600}));
    STORED(4, 3, 2);
}

Test(sampled_stack, a_stack_as_deep_as_there_is_room_keeps_its_inner_frames)
{
    struct frame_place live[SAMPLED_FRAMES_MAX + 1] = {{0}}, kept[SAMPLED_FRAMES_MAX + 1] = {{0}};
    for (uint64_t i = 0; i < SAMPLED_FRAMES_MAX; i++) {
        live[i] = (struct frame_place){1000 + i, 1000 * (i + 100), 1000 * (i + 101)};
        kept[i] = (struct frame_place){i < 100 ? 1 + i : 900 + i, 1000 * i, 1000 * (i + 1)};
    }
    kept[120] = (struct frame_place){1021, 120000, 0};
    kept[121].pc = 0;
    look(live);
    add_kept(kept);
    cr_assert_eq(stored_count, SAMPLED_FRAMES_MAX);
    cr_assert_eq(stored[99], 100);
    cr_assert_eq(stored[SAMPLED_FRAMES_MAX - 1], 1000 + SAMPLED_FRAMES_MAX - 101);
}
