/* The stack of a location, against what a list of whole activations would say. */
#include "reporters/trace/files/trace_stack.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(trace_stack, nested_calls_end_one_by_one)
{
    struct trace_stack stack = {0};
    for (uint64_t i = 0; i < 1000; i++)
        cr_assert(trace_stack_enter(&stack, i));
    for (uint64_t i = 1000; i-- > 0;) {
        cr_assert_eq(trace_stack_exit(&stack, i), 1);
        cr_assert_eq(stack.depth, i);
    }
    cr_assert_eq(stack.unmatched + stack.without_exit, 0);
    trace_stack_free(&stack);
}

Test(trace_stack, a_missing_exit_ends_with_the_outer_one)
{
    struct trace_stack stack = {0};
    for (uint64_t i = 1; i <= 5; i++)
        trace_stack_enter(&stack, i);
    cr_assert_eq(trace_stack_exit(&stack, 3), 3);
    cr_assert_eq(stack.depth, 2);
    cr_assert_eq(stack.functions[1], 2);
    cr_assert_eq(stack.without_exit, 2);
    trace_stack_free(&stack);
}

Test(trace_stack, of_recursion_the_innermost_ends)
{
    struct trace_stack stack = {0};
    for (unsigned i = 0; i < 3; i++)
        trace_stack_enter(&stack, 7);
    trace_stack_enter(&stack, 8);
    cr_assert_eq(trace_stack_exit(&stack, 7), 2);
    cr_assert_eq(stack.depth, 2);
    trace_stack_free(&stack);
}

Test(trace_stack, an_exit_without_enter_ends_nothing)
{
    struct trace_stack stack = {0};
    cr_assert_eq(trace_stack_exit(&stack, 1), 0);
    trace_stack_enter(&stack, 2);
    cr_assert_eq(trace_stack_exit(&stack, 1), 0);
    cr_assert_eq(stack.depth, 1);
    cr_assert_eq(stack.unmatched, 2);
    trace_stack_free(&stack);
}

Test(trace_stack, a_jump_leaves_no_more_than_there_are)
{
    struct trace_stack stack = {0};
    for (uint64_t i = 0; i < 4; i++)
        trace_stack_enter(&stack, i);
    cr_assert_eq(trace_stack_unwind(&stack, 3), 3);
    cr_assert_eq(trace_stack_unwind(&stack, UINT64_MAX), 1);
    cr_assert_eq(stack.depth, 0);
    trace_stack_free(&stack);
}

Test(trace_stack, activations_of_a_counted_function_end_when_they_are_innermost)
{
    struct trace_stack stack = {0};
    const uint64_t functions[] = {1, 7, 2, 7, 3};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        trace_stack_enter(&stack, functions[i]);
    cr_assert_eq(trace_stack_count(&stack, 7), 0); /* 3 lies within */
    cr_assert_eq(trace_stack_exit(&stack, 3), 2);
    cr_assert_eq(trace_stack_exit(&stack, 7), 0);
    cr_assert_eq(stack.unmatched, 1);
    trace_stack_enter(&stack, 4);
    cr_assert_eq(trace_stack_exit(&stack, 1), 4); /* 4, 2, 7 and itself */
    cr_assert_eq(stack.without_exit, 2, "4 and 2");
    cr_assert_eq(stack.depth, 0);
    cr_assert_eq(stack.fallen, 0);
    trace_stack_enter(&stack, 7);
    cr_assert_eq(trace_stack_count(&stack, 7), 1);
    trace_stack_free(&stack);
}

Test(trace_stack, a_jump_leaves_activations_of_counted_functions_too)
{
    struct trace_stack stack = {0};
    for (uint64_t i = 0; i < 4; i++)
        trace_stack_enter(&stack, i);
    trace_stack_count(&stack, 1);
    cr_assert_eq(trace_stack_unwind(&stack, 2), 3); /* 1 is innermost then */
    cr_assert_eq(stack.depth, 1);
    cr_assert_eq(stack.fallen, 0);
    trace_stack_free(&stack);
}
