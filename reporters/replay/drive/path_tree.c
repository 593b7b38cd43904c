#include "reporters/replay/drive/path_tree.h"

#include "compensation/numeric/array.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX     (1u << 22)
#define NODES_FIRST   16u
#define ENTER_TO_EXIT ((uint64_t)(PCOMP_EVENT_EXIT - PCOMP_EVENT_ENTER) << 56)
#define NO_FUNCTION   UINT64_MAX /* no value of an event */

static uint32_t slot_of(const struct path_tree *t, uint32_t parent, uint64_t function)
{
    uint64_t h = (function ^ (uint64_t)parent << 32 ^ parent) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & t->index_mask;
}

static void index_node(struct path_tree *t, uint32_t node)
{
    uint32_t slot = slot_of(t, t->nodes[node].parent, t->nodes[node].function);
    while (t->index[slot])
        slot = (slot + 1) & t->index_mask;
    t->index[slot] = node;
}

/* Room for one node more. False: out of memory. */
static bool grow_nodes(struct path_tree *t)
{
    uint32_t room = t->node_room ? t->node_room * 2 : NODES_FIRST;
    struct path_node *nodes = realloc(t->nodes, room * sizeof *nodes);
    if (!nodes)
        return false;
    t->nodes = nodes;
    uint32_t *index = calloc((size_t)room * 2, sizeof *index);
    if (!index)
        return false;
    free(t->index);
    t->index = index;
    t->index_mask = room * 2 - 1;
    t->node_room = room;
    for (uint32_t i = PATH_BEYOND + 1; i < t->node_count; i++)
        index_node(t, i);
    return true;
}

static void add_node(struct path_tree *t, uint32_t parent, uint64_t function)
{
    t->nodes[t->node_count++] = (struct path_node){
        .function = function, .parent = parent, .min = INT64_MAX, .max = INT64_MIN, .waits = PATH_NONE};
}

bool path_tree_init(struct path_tree *t)
{
    *t = (struct path_tree){0};
    t->frames = malloc(sizeof *t->frames);
    if (!t->frames || !grow_nodes(t))
        return false;
    t->frame_room = 1;
    t->frames[0] = (struct path_frame){0};
    add_node(t, PATH_NONE, NO_FUNCTION);
    add_node(t, PATH_ROOT, NO_FUNCTION);
    return true;
}

void path_tree_free(struct path_tree *t)
{
    trace_stack_free(&t->stack);
    free(t->frames);
    free(t->nodes);
    free(t->index);
    free(t->waits);
    free(t->suppressed);
    *t = (struct path_tree){0};
}

/* The node of `function` below `parent`; PATH_NONE: out of memory. */
static uint32_t find_child(struct path_tree *t, uint32_t parent, uint64_t function)
{
    if (parent == PATH_BEYOND)
        return PATH_BEYOND;
    for (uint32_t slot = slot_of(t, parent, function), node; (node = t->index[slot]); slot = (slot + 1) & t->index_mask)
        if (t->nodes[node].function == function && t->nodes[node].parent == parent)
            return t->nodes[parent].last_child = node;
    if (t->node_count == NODES_MAX)
        return PATH_BEYOND;
    if (t->node_count == t->node_room && !grow_nodes(t))
        return PATH_NONE;
    add_node(t, parent, function);
    index_node(t, t->node_count - 1);
    return t->nodes[parent].last_child = t->node_count - 1;
}

static bool grow_frames(struct path_tree *t)
{
    struct path_frame *frames = realloc(t->frames, ((size_t)t->stack.room + 1) * sizeof *frames);
    if (!frames)
        return false;
    t->frames = frames;
    t->frame_room = t->stack.room + 1;
    return true;
}

/* The node of `function` below the one that is active; PATH_NONE: out of memory. */
static inline uint32_t child_of_top(struct path_tree *t, uint64_t function)
{
    uint32_t parent = t->frames[t->stack.depth].node, node = t->nodes[parent].last_child;
    return t->nodes[node].function == function ? node : find_child(t, parent, function);
}

static inline bool enter(struct path_tree *t, uint32_t node, uint64_t function, uint64_t measured,
                         uint64_t approximated)
{
    if (!trace_stack_enter(&t->stack, function))
        return false;
    if (t->stack.depth == t->frame_room && !grow_frames(t))
        return false;
    t->frames[t->stack.depth] = (struct path_frame){measured, approximated, node};
    return true;
}

static inline void add_call(struct path_node *node, uint64_t measured, int64_t approximated)
{
    node->calls++;
    node->measured += measured;
    node->approximated += approximated;
    node->min = approximated < node->min ? approximated : node->min;
    node->max = approximated > node->max ? approximated : node->max;
}

/* The activation of a frame has ended. */
static inline void end_one(struct path_tree *t, const struct path_frame *frame, uint64_t measured,
                           uint64_t approximated)
{
    add_call(&t->nodes[frame->node], measured - frame->measured, (int64_t)(approximated - frame->approximated));
}

/* `count` activations have ended, innermost first; the stack is past them. */
static void leave(struct path_tree *t, uint32_t count, uint64_t measured, uint64_t approximated)
{
    for (; count; count--)
        end_one(t, &t->frames[t->stack.depth + count], measured, approximated);
}

static bool add_wait(struct path_tree *t, const struct replay_wait *wait)
{
    uint32_t node = t->frames[t->stack.depth].node, at = t->nodes[node].waits;
    while (at != PATH_NONE && t->waits[at].kind != wait->kind)
        at = t->waits[at].next;
    if (at == PATH_NONE) {
        if (!ARRAY_ROOM(t->waits, t->wait_count, t->wait_room))
            return false;
        at = t->wait_count++;
        t->waits[at] = (struct path_wait){.node = node, .next = t->nodes[node].waits, .kind = wait->kind};
        t->nodes[node].waits = at;
    }
    t->waits[at].count++;
    t->waits[at].measured += wait->measured;
    t->waits[at].approximated += wait->approximated;
    return true;
}

static bool add_suppressed(struct path_tree *t, const struct pcomp_event_long *event)
{
    uint64_t function = pcomp_event_value((const struct pcomp_event *)event);
    uint32_t i = 0;
    while (i < t->suppressed_count && t->suppressed[i].function != function)
        i++;
    if (!ARRAY_ROOM(t->suppressed, i, t->suppressed_room))
        return false;
    if (i == t->suppressed_count)
        t->suppressed[t->suppressed_count++] = (struct path_suppressed){function, 0};
    t->suppressed[i].calls += event->a;
    return true;
}

/* What is neither an enter nor an exit. False: out of memory. */
static bool other(struct path_tree *t, const struct pcomp_event *event, uint64_t approximated)
{
    uint32_t kind = pcomp_event_kind(event);
    if (kind == PCOMP_EVENT_FLUSH_BEGIN) {
        if (!t->own_depth++)
            t->own_begin = event->time;
    } else if (kind == PCOMP_EVENT_FLUSH_END) {
        t->own_depth -= t->own_depth > 0;
        if (t->own_depth)
            return true; /* a flush in the middle of other own work */
        t->own += t->own_begin ? event->time - t->own_begin : 0;
        t->own_begin = 0;
    } else if (kind == PCOMP_EVENT_UNWIND) {
        uint32_t left = trace_stack_unwind(&t->stack, pcomp_event_value(event));
        leave(t, left, event->time - t->own, approximated);
        t->unwound += left;
    } else if (kind == PCOMP_EVENT_COUNTED) {
        leave(t, trace_stack_count(&t->stack, pcomp_event_value(event)), event->time - t->own, approximated);
    } else if (kind == PCOMP_EVENT_CLOCK_SET) {
        t->own += (uint64_t)pcomp_event_clock_set(event);
    } else if (kind == PCOMP_EVENT_SUPPRESSED) {
        return add_suppressed(t, (const struct pcomp_event_long *)(const void *)event);
    } else {
        t->has_messages |= kind >= PCOMP_EVENT_SEND_POST;
    }
    return true;
}

bool path_tree_follow(struct path_tree *t, const void *measured, const void *approximated, size_t size,
                      const struct replay_wait *waits, size_t wait_count)
{
    const struct replay_wait *wait = waits, *waits_end = wait_count ? waits + wait_count : waits;
    const struct pcomp_event *m = measured, *a = approximated, *end = m + size / sizeof *m;
    uint64_t own = t->own, number = t->event, last = 0, last_approximated = 0;
    if (!size)
        return true;
    if (!number)
        t->first = m->time;
    for (uint32_t step; m < end; m += step, a += step, number++) {
        uint32_t kind = pcomp_event_kind(m);
        last = m->time - own;
        last_approximated = a->time;
        step = 1;
        if (kind == PCOMP_EVENT_ENTER) {
            uint32_t node = child_of_top(t, pcomp_event_value(m));
            if (node == PATH_NONE)
                return false;
            if (m + 1 < end && m[1].what == m->what + ENTER_TO_EXIT) { /* it called nothing: most calls */
                add_call(&t->nodes[node], m[1].time - m->time, (int64_t)(a[1].time - a->time));
                last = m[1].time - own;
                last_approximated = a[1].time;
                step = 2;
                number++;
            } else if (!enter(t, node, pcomp_event_value(m), last, last_approximated)) {
                return false;
            }
        } else if (kind == PCOMP_EVENT_EXIT) {
            uint32_t ended = trace_stack_exit(&t->stack, pcomp_event_value(m));
            if (ended == 1)
                end_one(t, &t->frames[t->stack.depth + 1], last, last_approximated);
            else
                leave(t, ended, last, last_approximated);
        } else {
            for (; wait != waits_end && wait->event <= number; wait++)
                if (!add_wait(t, wait))
                    return false;
            if (!other(t, m, last_approximated))
                return false;
            number -= kind == PCOMP_EVENT_CLOCK_SET; /* no event */
            own = t->own;
            last = m->time - own;
            step = pcomp_event_size(m) / sizeof *m;
        }
    }
    t->event = number;
    t->last = last;
    t->last_approximated = last_approximated;
    return true;
}

void path_tree_end(struct path_tree *t)
{
    leave(t, trace_stack_unwind(&t->stack, t->stack.depth), t->last, t->last_approximated);
}
