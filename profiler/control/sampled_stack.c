#include "profiler/control/sampled_stack.h"

#include "profiler/base/own_stack.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/control/sample_signal.h"

#include <sys/auxv.h>

#define FRAMES_MAX       SAMPLED_FRAMES_MAX
#define PROBE_FRAMES_MAX 32u /* of the library, in a probe */

static uint64_t own_start, own_end; /* the code of this library; 0: it is part of the program's */

/* Where the library's code lies: in a section of its own where it is linked into the program. */
void sampled_stack_start(void)
{
    extern const char __start_pcomp_text[] __attribute__((weak, visibility("hidden")));
    extern const char __stop_pcomp_text[] __attribute__((weak, visibility("hidden")));
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    uint64_t start = (uint64_t)(uintptr_t)__ehdr_start, end = (uint64_t)(uintptr_t)etext;
    uint64_t entry = getauxval(AT_ENTRY);
    if (__start_pcomp_text) {
        start = (uint64_t)(uintptr_t)__start_pcomp_text;
        end = (uint64_t)(uintptr_t)__stop_pcomp_text;
    } else if (entry >= start && entry < end)
        return;
    own_start = start;
    own_end = end;
}

bool sampled_stack_has_library(void)
{
    return own_end;
}

bool sampled_stack_in_library(uint64_t pc)
{
    return pc - own_start < own_end - own_start;
}

#if defined(__x86_64__)

static struct pcomp_frame *measured(struct pcomp_frame *f)
{
    while (!frame_is_root(f) && !frame_is_timed(f))
        f = frame_below(f);
    return f;
}

/* Ties the frames of the machine to the activations on the shadow stack, whose addresses lie inside theirs (a hook's is
 * that of its return address, just below). A sample of the kernel may be some milliseconds old: activations that began
 * after its tick are not in it. Returns the number of places: behind the outermost there is one more where a timed
 * activation was not found. */
static unsigned tie(const struct thread_state *h, struct pcomp_frame *f, const struct frame_place *frames,
                    unsigned count, uint64_t tick, struct stack_place *places)
{
    f = measured(f);
    while (!frame_is_root(f) && f->start > tick)
        f = measured(frame_below(f));
    for (unsigned i = 0; i < count; i++) {
        places[i] = (struct stack_place){frames[i].pc, 0};
        for (; !frame_is_root(f) && f->sp + 8 < frames[i].above; f = measured(frame_below(f)))
            if (!places[i].node)
                places[i].node = f->node;
    }
    uint64_t node = f->node;
    if (node && node != (uint64_t)(uintptr_t)h->root)
        places[count++] = (struct stack_place){PCOMP_STACK_UNKNOWN, node};
    return count;
}

/* The library's code, or what it calls: other libraries, and the kernel. */
static bool is_of_library(const struct frame_registers *r)
{
    uint64_t sp = r->value[FRAME_SP];
    return sampled_stack_in_library(r->value[FRAME_PC]) || own_stack_holds(sp) ||
           (sampler_stack && (uint64_t)(uintptr_t)sampler_stack - sp < SAMPLER_STACK_SIZE);
}

static unsigned unwind(const struct frame_registers *r, const struct frame_stack *stack, struct frame_place *frames)
{
    struct frame_registers caller = *r;
    unsigned count = 0;
    if (call_frames_read_begin()) {
        count = call_frames_leaf(&caller, stack, frames);
        count += call_frames_places(&caller, stack, frames + count, FRAMES_MAX - count);
        call_frames_read_end();
    }
    if (!count)
        frames[count++] = (struct frame_place){.pc = r->value[FRAME_PC]};
    return count;
}

void sampled_stack_look(struct sampled_stacks *to, const struct frame_registers *r, const struct frame_stack *stack)
{
    to->live_count = r ? unwind(r, stack, to->live) : 0;
}

/* The kept part of a stack ends in a frame whose upper end is not in it. Where the thread still has a frame of the same
 * function there, it is that one, and those around it follow. It may be on another stack now, as coroutines are. */
static unsigned go_on(const struct sampled_stacks *to, struct frame_place *frames, unsigned count)
{
    struct frame_place *last = &frames[count - 1];
    unsigned k = 0;
    while (k < to->live_count && to->live[k].above <= last->below)
        k++;
    if (k == to->live_count || to->live[k].below > last->below || !call_frames_read_begin())
        return count;
    bool same = call_frames_in_one_function(last->pc, to->live[k].pc);
    call_frames_read_end();
    if (!same)
        return count;
    last->above = to->live[k].above;
    while (++k < to->live_count && count < FRAMES_MAX)
        frames[count++] = to->live[k];
    return count;
}

static void add(struct sampled_stacks *to, struct thread_state *h, struct pcomp_frame *top,
                const struct frame_place *frames, unsigned count, uint64_t tick, uint32_t weight)
{
    count = tie(h, top, frames, count, tick, to->places);
    stack_samples_add(&to->samples, h->thread->index, to->places, count, weight);
}

/* True: that was all. */
static bool add_of_library(struct sampled_stacks *to, const struct thread_state *h, const struct frame_registers *r,
                           uint32_t weight)
{
    __atomic_fetch_add(&store_header->samples, 1, __ATOMIC_RELAXED);
    if (site_leads(r->value[FRAME_PC], false) == SITE_COUNTS)
        __atomic_fetch_add(&store_header->slot_samples, weight, __ATOMIC_RELAXED);
    if (!is_of_library(r))
        return false;
    const struct stack_place library = {PCOMP_STACK_LIBRARY, 0};
    stack_samples_add(&to->samples, h->thread->index, &library, 1, weight);
    return true;
}

void sampled_stack_add(struct sampled_stacks *to, struct thread_state *h, struct pcomp_frame *top,
                       const struct frame_registers *r, uint64_t tick, uint32_t weight)
{
    if (!add_of_library(to, h, r, weight))
        add(to, h, top, to->live, to->live_count, tick, weight);
}

void sampled_stack_add_kept(struct sampled_stacks *to, struct thread_state *h, struct pcomp_frame *top,
                            const struct frame_registers *r, const struct frame_stack *stack, uint64_t tick,
                            uint32_t weight)
{
    struct frame_place frames[FRAMES_MAX];
    if (add_of_library(to, h, r, weight))
        return;
    unsigned count = unwind(r, stack, frames);
    if (!frames[count - 1].above)
        count = go_on(to, frames, count);
    add(to, h, top, frames, count, tick, weight);
}

/* Where the signal interrupted the program; the stack is empty where it is not the one that the hooks know. */
void sampled_stack_context(const struct thread_state *h, const greg_t *registers, struct frame_registers *r,
                           struct frame_stack *stack)
{
    static const int names[] = {REG_RBX, REG_RBP, REG_RSP, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    static const int numbers[] = {3, 6, FRAME_SP, 12, 13, 14, 15, FRAME_PC};
    *r = (struct frame_registers){{0}};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        r->value[numbers[i]] = (uint64_t)registers[names[i]];
    uint64_t sp = r->value[FRAME_SP];
    bool here = sp - h->low < h->reach;
    *stack = (struct frame_stack){sp, here ? h->low + h->reach : sp, (const uint8_t *)(uintptr_t)sp};
}

/* The stack address up to which functions called each other: there a signal came, or nothing more is known. */
uint64_t sampled_stack_reach(const struct frame_registers *r, const struct frame_stack *stack)
{
    struct frame_place frames[FRAMES_MAX];
    uint64_t reach = 0;
    if (!call_frames_read_begin())
        return 0;
    unsigned count = call_frames_places(r, stack, frames, FRAMES_MAX);
    call_frames_read_end();
    for (unsigned i = 0; i < count; i++) {
        if (!frames[i].above)
            return reach;
        reach = frames[i].above;
    }
    return count == FRAMES_MAX ? UINT64_MAX : reach; /* a deep recursion: no handler is that far away */
}

/* A probe may work on a stack of ours: its frames come first, then those on the program's stack. */
bool sampled_stack_of_probe(const struct thread_state *h, struct frame_registers *r, struct frame_stack *program)
{
    uint64_t sp = own_stack_program();
    if (!sampled_stack_has_library() || sp - h->low >= h->reach || !call_frames_read_begin())
        return false;
    frame_registers_read(r);
    uint64_t own = r->value[FRAME_SP], top = own_stack_top();
    *program = (struct frame_stack){sp, h->low + h->reach, (const uint8_t *)(uintptr_t)sp};
    const struct frame_stack ours = {own, top ? top : own, (const uint8_t *)(uintptr_t)own};
    bool known = true;
    for (unsigned i = 0; known && i < PROBE_FRAMES_MAX && sampled_stack_in_library(r->value[FRAME_PC]); i++)
        known = call_frames_step(r, &ours) || call_frames_step(r, program);
    call_frames_read_end();
    return known && r->value[FRAME_SP] >= sp && r->value[FRAME_SP] < program->high;
}

uint64_t sampled_stack_reach_of_probe(const struct thread_state *h)
{
    struct frame_registers r;
    struct frame_stack program;
    return sampled_stack_of_probe(h, &r, &program) ? sampled_stack_reach(&r, &program) : 0;
}

#endif
