#include "reporters/trace/files/trace_stack.h"

#include <stdlib.h>

enum { STACK_FIRST = 64 };
#define FALLEN_BIT 62 /* no value of an event, and no operation, has it */
#define FALLEN     (UINT64_C(1) << FALLEN_BIT)

bool trace_stack_grow(struct trace_stack *stack)
{
    uint32_t room = stack->room ? 2 * stack->room : STACK_FIRST;
    uint64_t *functions = room > stack->room ? reallocarray(stack->functions, room, sizeof *functions) : NULL;
    if (!functions)
        return false;
    stack->functions = functions;
    stack->room = room;
    return true;
}

void trace_stack_free(struct trace_stack *stack)
{
    free(stack->functions);
    *stack = (struct trace_stack){0};
}

/* Returns how many of the dropped ones had fallen. */
static uint32_t drop(struct trace_stack *stack, uint32_t left)
{
    uint32_t fallen = 0;
    for (; left; left--)
        fallen += stack->functions[--stack->depth] >> FALLEN_BIT & 1;
    stack->fallen -= fallen;
    return fallen;
}

/* Ends the fallen ones that are innermost. */
static uint32_t end_fallen(struct trace_stack *stack)
{
    uint32_t before = stack->depth;
    while (stack->depth && stack->functions[stack->depth - 1] & FALLEN)
        drop(stack, 1);
    return before - stack->depth;
}

uint32_t trace_stack_exit_outer(struct trace_stack *stack, uint64_t function)
{
    for (uint32_t i = stack->depth; i-- > 0;) {
        if (stack->functions[i] != function)
            continue;
        uint32_t left = stack->depth - i;
        stack->without_exit += left - 1 - drop(stack, left);
        return left + end_fallen(stack);
    }
    stack->unmatched++;
    return 0;
}

uint32_t trace_stack_drop(struct trace_stack *stack, uint32_t left)
{
    drop(stack, left);
    return left + end_fallen(stack);
}

uint32_t trace_stack_count(struct trace_stack *stack, uint64_t function)
{
    for (uint32_t i = 0; i < stack->depth; i++)
        if (stack->functions[i] == function) {
            stack->functions[i] |= FALLEN;
            stack->fallen++;
        }
    return end_fallen(stack);
}
