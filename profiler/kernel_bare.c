/* Calls hooks that return at once, by way of a pointer as a program does by way of its linkage table. */
static __attribute__((noinline)) void bare_hook(void *function, void *site)
{
    __asm__ volatile("" ::"r"(function), "r"(site));
}

static void (*volatile bare)(void *, void *) = bare_hook;

#define KERNEL(name) bare_##name
#define ENTER(name)  bare((void *)KERNEL(name), __builtin_return_address(0))
#define EXIT(name)   bare((void *)KERNEL(name), __builtin_return_address(0))
#include "profiler/kernel_body.h"
