/* Loops that wait, and loops whose bytes look like it. */
#include "profiler/code/arch/x86_64/spin_loop.h"

#include <criterion/criterion.h>

#define CODE(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void expect(const uint8_t *code, uint64_t size, const uint8_t *starts, bool pauses)
{
    for (; *starts != 0xff; starts++)
        cr_expect_eq(spin_loop_pauses(code, size, *starts), pauses, "from byte %u", *starts);
}

/* do pause; while (!flag) */
Test(spin_loop, pause_first)
{
    const uint8_t code[] = CODE(0xf3, 0x90, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xf8, 0xc3);
    expect(code, sizeof(code), (uint8_t[]){0, 2, 4, 6, 0xff}, true);
}

/* while (!flag) pause; with the test first: mov, test, jne behind, pause, jmp back */
Test(spin_loop, test_first)
{
    const uint8_t code[] = CODE(0x8b, 0x07, 0x85, 0xc0, 0x75, 0x04, 0xf3, 0x90, 0xeb, 0xf6, 0xc3);
    expect(code, sizeof(code), (uint8_t[]){0, 2, 4, 6, 8, 0xff}, true);
}

/* mov, test, je to the pause behind the return, ret; pause, jmp back */
Test(spin_loop, pause_behind_the_return)
{
    const uint8_t code[] = CODE(0x8b, 0x07, 0x85, 0xc0, 0x74, 0x01, 0xc3, 0xf3, 0x90, 0xeb, 0xf5);
    expect(code, sizeof(code), (uint8_t[]){0, 2, 4, 7, 9, 0xff}, true);
}

/* A loop of a spin lock: pause; mov; test; jne back; lock cmpxchg; jne back */
Test(spin_loop, lock)
{
    const uint8_t code[] =
        CODE(0xf3, 0x90, 0x8b, 0x17, 0x85, 0xd2, 0x75, 0xf8, 0xf0, 0x0f, 0xb1, 0x0f, 0x75, 0xf2, 0xc3);
    expect(code, sizeof(code), (uint8_t[]){0, 2, 4, 6, 8, 12, 0xff}, true);
}

/* mulsd, addsd, sub, jne by -13 (0xf3), nop (0x90): no pause */
Test(spin_loop, jump_before_a_nop)
{
    const uint8_t code[] =
        CODE(0xf2, 0x0f, 0x59, 0xc2, 0xf2, 0x0f, 0x58, 0xc1, 0x83, 0xe8, 0x01, 0x75, 0xf3, 0x90, 0xc3);
    expect(code, sizeof(code), (uint8_t[]){0, 4, 8, 11, 13, 0xff}, false);
}

/* A loop of work in front of a pause, and one behind it */
Test(spin_loop, pause_outside)
{
    const uint8_t before[] = CODE(0x83, 0xe8, 0x01, 0x75, 0xfb, 0xf3, 0x90, 0xc3);
    const uint8_t behind[] = CODE(0xf3, 0x90, 0x83, 0xe8, 0x01, 0x75, 0xfb, 0xc3);
    expect(before, sizeof(before), (uint8_t[]){0, 3, 0xff}, false);
    expect(behind, sizeof(behind), (uint8_t[]){2, 5, 0xff}, false);
}

/* Code that ends, or is none, on the way; jumps out of it */
Test(spin_loop, no_loop)
{
    const uint8_t code[] = CODE(0xf3, 0x90, 0x8b, 0x07);
    const uint8_t far[] = CODE(0xf3, 0x90, 0xe9, 0x00, 0x00, 0x00, 0x80);
    const uint8_t to_itself[] = CODE(0xf3, 0x90, 0xeb, 0xfe);
    expect(code, sizeof(code), (uint8_t[]){0, 2, 4, 0xff}, false);
    expect(far, sizeof(far), (uint8_t[]){0, 2, 0xff}, false);
    expect(to_itself, sizeof(to_itself), (uint8_t[]){0, 0xff}, false);
}
