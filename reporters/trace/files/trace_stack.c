#include "reporters/trace/files/trace_stack.h"

#include <stdlib.h>

enum { STACK_FIRST = 64 };

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

uint32_t trace_stack_exit_outer(struct trace_stack *stack, uint64_t function)
{
    for (uint32_t i = stack->depth; i-- > 0;) {
        if (stack->functions[i] != function)
            continue;
        uint32_t left = stack->depth - i;
        stack->depth = i;
        stack->without_exit += left - 1;
        return left;
    }
    stack->unmatched++;
    return 0;
}
