#include "reporters/profile/open_activations.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNMEASURED  UINT64_MAX
#define NOT_COUNTED ((uint64_t)1 << 62) /* in frame.function: inherited through fork; the parent counts it */

/* What one look over the frames of a stack tells. */
struct stack_view {
    uint32_t live;       /* frames 0..live-1 are live; 0: damaged or not begun */
    uint64_t last_event; /* tick */
    uint64_t last_enter; /* tick of the newest enter */
    int64_t overhead;    /* accumulated in the thread by now, as far as this stack tells; fixed-point */
    bool current;        /* its thread was on it, or in a signal handler that interrupted it */
};

static bool is_live(const struct pcomp_frame *f)
{
    return f->end == UNMEASURED || f->start > f->end;
}

static uint64_t newest(const struct pcomp_frame *f)
{
    return f->end != UNMEASURED && f->end > f->start ? f->end : f->start;
}

static struct stack_view view_stack(const struct profile_file *file, const struct profile_stack *stack)
{
    struct stack_view view = {0};
    uint32_t last = 0;
    bool broken = false;
    for (uint32_t i = 0; i < stack->frame_count; i++) {
        const struct pcomp_frame *f = profile_frame(file, stack, i);
        if (!broken && is_live(f))
            view.live++;
        else if (!broken) {
            broken = true;
            if (i && newest(f) > view.last_event)
                view.last_event = newest(f);
        }
        if (!broken && newest(f) > view.last_event)
            view.last_event = newest(f);
        /* a frame that is not measured keeps the start of the one before it, and something else as overhead */
        if (f->end != UNMEASURED && f->start > view.last_enter) {
            view.last_enter = f->start;
            last = i;
        }
    }
    if (!stack->frame_count)
        return view;
    uint64_t overhead = (uint64_t)profile_frame(file, stack, last)->overhead;
    uint64_t exit_cost = (uint64_t)file->header.delta_start[PCOMP_VARIANT_REPEAT].descendant;
    for (uint32_t i = view.live; i <= last && view.live; i++)
        if (profile_frame(file, stack, i)->end != UNMEASURED)
            overhead += exit_cost;
    view.overhead = (int64_t)overhead;
    return view;
}

/* The top frame may have been interrupted while it was being filled: then it is not live yet. */
static bool is_top(const struct profile_file *file, const struct profile_stack *stack, const struct stack_view *view,
                   uint64_t node)
{
    return view->live && (profile_frame(file, stack, view->live - 1)->node == node ||
                          (view->live < stack->frame_count && profile_frame(file, stack, view->live)->node == node));
}

/* The newest stack is where the thread was. If that is a signal stack, its root frame has the node of the activation
 * that was interrupted, which is the top of the stack below it; and so on. */
static void mark_current(const struct profile_file *file, const struct profile_thread *thread, struct stack_view *views)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < thread->stack_count; i++)
        if (views[i].last_event > views[at].last_event)
            at = i;
    for (uint32_t steps = 0; steps < thread->stack_count && !views[at].current; steps++) {
        views[at].current = true;
        const struct profile_stack *stack = &file->stacks[thread->first_stack + at];
        if (!views[at].live)
            break;
        uint64_t node = profile_frame(file, stack, 0)->node;
        if (node == thread->record->root_link)
            break;
        for (uint32_t i = 0; i < thread->stack_count; i++)
            if (!views[i].current && is_top(file, &file->stacks[thread->first_stack + i], &views[i], node)) {
                at = i;
                break;
            }
    }
}

static uint64_t process_end(const struct profile_file *file, const struct stack_view *views, bool running)
{
    if (running) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t mono = file->read_mono ? file->read_mono : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        return profile_tick_at(file, mono);
    }
    if (file->header.end_tick)
        return file->header.end_tick;
    uint64_t end = 0;
    for (uint32_t t = 0; t < file->thread_count; t++) {
        const struct profile_thread *thread = &file->threads[t];
        if (thread->record->end_tick > end)
            end = thread->record->end_tick;
        for (uint32_t i = 0; i < thread->stack_count; i++)
            if (views[thread->first_stack + i].last_event > end)
                end = views[thread->first_stack + i].last_event;
    }
    return end;
}

static bool is_nested(const struct profile_file *file, const struct profile_stack *stack, uint32_t k)
{
    if (!(file->header.flags & PCOMP_FLAG_FOLD_RECURSION))
        return false;
    /* Folding keeps stacks short of distinct nodes; the bound keeps a damaged file from costing a square. */
    uint64_t node = profile_frame(file, stack, k)->node;
    for (uint32_t i = k, looked = 0; i-- > 1 && looked < 4096; looked++)
        if (profile_frame(file, stack, i)->node == node)
            return true;
    return false;
}

/* The exclusive time of the activation of frame `f`, the last in `out`: it loses its ended children here, and takes its
 * own time from the open activation that it is a child of. */
static void subtract_children(const struct pcomp_frame *f, size_t first, struct open_activations *out)
{
    struct open_activation *mine = &out->items[out->count - 1];
    const struct pcomp_frame_more *more = (const struct pcomp_frame_more *)(f + 1);
    mine->raw_exclusive = (int64_t)(mine->raw - more->child_raw);
    mine->compensated_exclusive = (int64_t)((uint64_t)mine->compensated - (uint64_t)more->child_compensated);
    if (out->count - 1 == first)
        return;
    struct open_activation *parent = mine - 1;
    parent->raw_exclusive = (int64_t)((uint64_t)parent->raw_exclusive - mine->raw);
    parent->compensated_exclusive = (int64_t)((uint64_t)parent->compensated_exclusive - (uint64_t)mine->compensated);
}

static void add_stack(const struct profile_file *file, const struct profile_stack *stack, const struct stack_view *view,
                      uint64_t end, int64_t overhead, struct open_activations *out)
{
    const struct pcomp_thread *thread = file->threads[stack->thread].record;
    size_t first = out->count;
    bool folded = (file->header.flags & PCOMP_FLAG_FOLD_RECURSION) &&
                  file->header.frame_size >= sizeof(struct pcomp_frame) + sizeof(struct pcomp_frame_more);
    if (end < view->last_event)
        end = view->last_event;
    for (uint32_t k = 1; k < view->live; k++) { /* frame 0 is the root, or the activation that a signal interrupted */
        const struct pcomp_frame *f = profile_frame(file, stack, k);
        uint32_t node = f->end == UNMEASURED ? PROFILE_NONE : profile_node_index(file, f->node);
        if (node == PROFILE_NONE)
            continue;
        uint64_t raw = end > f->start ? end - f->start : 0;
        out->items[out->count++] = (struct open_activation){
            .node = node,
            .thread = stack->thread,
            .counted = !((thread->flags & PCOMP_THREAD_INHERITED) &&
                         (f->start == thread->start_tick || (f->function & NOT_COUNTED))),
            .nested = is_nested(file, stack, k),
            .raw = raw,
            .compensated = (int64_t)((raw << PCOMP_FIX_SHIFT) - ((uint64_t)overhead - (uint64_t)f->overhead))};
        if (folded)
            subtract_children(f, first, out);
    }
}

bool open_activations_find(const struct profile_file *file, bool running, struct open_activations *out)
{
    *out = (struct open_activations){0};
    struct stack_view *views = malloc((file->stack_count + (size_t)1) * sizeof *views);
    if (!views)
        return false;
    size_t room = 1;
    for (uint32_t i = 0; i < file->stack_count; i++) {
        views[i] = view_stack(file, &file->stacks[i]);
        room += views[i].live;
    }
    out->items = malloc(room * sizeof *out->items);
    if (!out->items) {
        free(views);
        return false;
    }
    out->end_tick = process_end(file, views, running);
    for (uint32_t t = 0; t < file->thread_count; t++) {
        const struct profile_thread *thread = &file->threads[t];
        struct stack_view *own = &views[thread->first_stack];
        if (!thread->stack_count)
            continue;
        mark_current(file, thread, own);
        const struct stack_view *last = NULL;
        for (uint32_t i = 0; i < thread->stack_count; i++)
            if (own[i].current && (!last || own[i].last_enter > last->last_enter))
                last = &own[i];
        uint64_t end = thread->record->end_tick ? thread->record->end_tick : out->end_tick;
        for (uint32_t i = 0; i < thread->stack_count; i++) {
            const struct stack_view *view = &own[i];
            add_stack(file, &file->stacks[thread->first_stack + i], view, view->current ? end : view->last_event,
                      view->current ? last->overhead : view->overhead, out);
        }
    }
    free(views);
    return true;
}

void open_activations_free(struct open_activations *open)
{
    free(open->items);
    *open = (struct open_activations){0};
}
