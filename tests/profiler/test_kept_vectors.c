/* Code as gcc makes it behind hook calls: values of vector registers come back from the stack, or none was kept. */
#include "profiler/code/arch/x86_64/kept_vectors.h"

#include <criterion/criterion.h>

#define RETURN_OF(...) kept_vectors_return((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

#define MOVSD_BACK 0xf2, 0x0f, 0x10, 0x4c, 0x24, 0x10 /* movsd 0x10(%rsp), %xmm1 */
#define RET        0xc3, 0x90, 0x90, 0x90

Test(kept_vectors, a_load_from_the_stack_is_one)
{
    cr_expect(RETURN_OF(MOVSD_BACK, RET));
    cr_expect(RETURN_OF(0xb8, 3, 0, 0, 0, MOVSD_BACK, RET), "behind other instructions");
    cr_expect(RETURN_OF(0xff, 0x00, MOVSD_BACK, RET), "behind incl (%%rax)");
    cr_expect(RETURN_OF(0xf2, 0x0f, 0x58, 0x44, 0x24, 8, RET), "addsd 8(%%rsp), %%xmm0");
    cr_expect(RETURN_OF(0xf3, 0x0f, 0x10, 0x45, 0xf0, RET), "movss -16(%%rbp), %%xmm0");
    cr_expect(RETURN_OF(0xc5, 0xfb, 0x10, 0x4c, 0x24, 0x10, RET), "vmovsd 0x10(%%rsp), %%xmm1");
}

Test(kept_vectors, other_code_is_none)
{
    cr_expect_not(RETURN_OF(RET));
    cr_expect_not(RETURN_OF(0x48, 0x8b, 0x44, 0x24, 0x10, RET), "mov 0x10(%%rsp), %%rax");
    cr_expect_not(RETURN_OF(0xf2, 0x0f, 0x11, 0x4c, 0x24, 0x10, RET), "a store");
    cr_expect_not(RETURN_OF(0xf2, 0x0f, 0x10, 0x05, 0, 0, 0, 0, RET), "a constant");
    cr_expect_not(RETURN_OF(0xf2, 0x0f, 0x58, 0xc1, RET), "registers alone");
}

Test(kept_vectors, what_comes_behind_the_next_call_is_that_ones)
{
    cr_expect_not(RETURN_OF(0xe8, 0, 0, 0, 0, MOVSD_BACK, RET));
    cr_expect_not(RETURN_OF(0xa9, 0, 0, 0, 0, MOVSD_BACK, RET), "a call that is off");
    cr_expect_not(RETURN_OF(0xff, 0xd0, MOVSD_BACK, RET), "call *%%rax");
    cr_expect_not(RETURN_OF(0xff, 0x20, MOVSD_BACK, RET), "jmp *(%%rax)");
    cr_expect_not(RETURN_OF(0xc3, MOVSD_BACK, RET));
}

Test(kept_vectors, nothing_is_read_beyond_the_end)
{
    static const uint8_t code[] = {MOVSD_BACK};
    for (uint64_t left = 0; left < sizeof(code); left++)
        cr_expect_not(kept_vectors_return(code, left));
}
