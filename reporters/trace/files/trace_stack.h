/* Which functions are active in a location, followed through its ENTER, EXIT and UNWIND events.
 *
 * Activations of a function that is counted from some time on (COUNTED) end without an exit.
 *
 * Tolerant: an exit that skips activations whose own exits are missing (lost records, a jump) ends these too; an exit
 * of a function that is not active (its enter lies before the first record) is counted and ends nothing. What a reader
 * keeps for an activation it keeps in arrays of its own, by depth. Not thread-safe on one stack. */
#ifndef PCOMP_TRACE_STACK_H
#define PCOMP_TRACE_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct trace_stack {       /* all zero: empty */
    uint64_t *functions;   /* active ones, the outermost first */
    uint32_t depth, room;  /* how many; how many fit */
    uint32_t fallen;       /* of these: of functions that are counted, until they are the innermost */
    uint64_t unmatched;    /* exits of functions that were not active */
    uint64_t without_exit; /* activations that ended by the exit of an outer one */
};

/* Makes room for one more. False: out of memory; the stack stays as it is. */
bool trace_stack_grow(struct trace_stack *stack);
void trace_stack_free(struct trace_stack *stack);

/* The part of trace_stack_exit that is rarely taken. */
uint32_t trace_stack_exit_outer(struct trace_stack *stack, uint64_t function);

/* An activation begins. False: out of memory. */
static inline bool trace_stack_enter(struct trace_stack *stack, uint64_t function)
{
    if (stack->depth == stack->room && !trace_stack_grow(stack))
        return false;
    stack->functions[stack->depth++] = function;
    return true;
}

/* The function exits. Returns how many activations end by it, innermost first: 1 mostly, 0 when it was not active. */
static inline uint32_t trace_stack_exit(struct trace_stack *stack, uint64_t function)
{
    if (stack->depth && stack->functions[stack->depth - 1] == function && !stack->fallen) {
        stack->depth--;
        return 1;
    }
    return trace_stack_exit_outer(stack, function);
}

/* The part of trace_stack_unwind that is rarely taken. */
uint32_t trace_stack_drop(struct trace_stack *stack, uint32_t left);

/* Activations of the function have no exits (COUNTED): they end when they are the innermost ones. Returns how many end
 * now. */
uint32_t trace_stack_count(struct trace_stack *stack, uint64_t function);

/* A jump leaves `count` activations. Returns how many end by it. */
static inline uint32_t trace_stack_unwind(struct trace_stack *stack, uint64_t count)
{
    uint32_t left = count < stack->depth ? (uint32_t)count : stack->depth;
    if (stack->fallen)
        return trace_stack_drop(stack, left);
    stack->depth -= left;
    return left;
}

#endif
