#include "profiler/code/arch/x86_64/kept_vectors.h"

#include "profiler/code/arch/x86_64/instruction.h"

#define INSTRUCTIONS_MAX 16

/* Second byte of an opcode (0f) that reads a vector register's value from memory: moves, and arithmetic. */
static bool reads_vector(uint8_t opcode)
{
    switch (opcode) {
    case 0x10: /* movups, movss, movupd, movsd */
    case 0x12: /* movlps */
    case 0x16: /* movhps */
    case 0x28: /* movaps */
    case 0x2e: /* ucomis */
    case 0x2f: /* comis */
    case 0x51: /* sqrt */
    case 0x54: /* and */
    case 0x57: /* xor */
    case 0x58: /* add */
    case 0x59: /* mul */
    case 0x5a: /* conversions */
    case 0x5c: /* sub */
    case 0x5d: /* min */
    case 0x5e: /* div */
    case 0x5f: /* max */
    case 0x6f: /* movdqa, movdqu */
    case 0x7e: /* movq */
        return true;
    default:
        return false;
    }
}

/* ModRM and SIB: memory at rsp or rbp with a displacement. */
static bool is_on_stack(const uint8_t *modrm)
{
    unsigned mod = *modrm >> 6, rm = *modrm & 7;
    return mod != 3 && ((rm == 4 && (modrm[1] & 7) == 4) || (rm == 5 && mod != 0));
}

/* Of what begins with ff: inc, dec, four calls and jumps, push. */
static bool is_call_or_jump(uint8_t modrm)
{
    unsigned which = modrm >> 3 & 7;
    return which >= 2 && which <= 5;
}

/* A call, a jump or a return, or what a hook call becomes that is off (hook_call.h). */
static bool ends_stretch(const uint8_t *code)
{
    return *code == 0xe8 || *code == 0xe9 || *code == 0xeb || *code == 0xc2 || *code == 0xc3 || *code == 0xa9 ||
           (*code == 0xff && is_call_or_jump(code[1])) || (*code == 0x8d && code[1] == 0x15) ||
           (*code == 0x81 && code[1] == 0xe8);
}

/* The byte that tells what the instruction does, of those with a 0f in front or in their VEX prefix; NULL: another. */
static const uint8_t *vector_opcode(const uint8_t *code)
{
    return *code == 0x0f                                    ? code + 1
           : *code == 0xc5                                  ? code + 2
           : *code == 0xc4 && (code[1] & 31) == 1 /* map */ ? code + 3
                                                            : (const uint8_t *)0;
}

bool kept_vectors_return(const uint8_t *at, uint64_t left)
{
    for (int i = 0; i < INSTRUCTIONS_MAX; i++) {
        unsigned start, length = instruction_length(at, left, &start);
        if (!length || ends_stretch(at + start))
            return false;
        const uint8_t *opcode = vector_opcode(at + start);
        if (opcode && opcode + 2 < at + length && reads_vector(*opcode) && is_on_stack(opcode + 1))
            return true;
        at += length;
        left -= length;
    }
    return false;
}

void kept_vectors_trips(uint32_t count)
{
    double kept = 0, value = 0;
    for (uint32_t i = 0; i < count; i++) {
#if defined(__x86_64__)
        __asm__ volatile("movsd %0, %1\n\tmovsd %1, %0" : "+x"(value), "+m"(kept));
#else
        __asm__ volatile("" : "+m"(value), "+m"(kept));
#endif
    }
}
