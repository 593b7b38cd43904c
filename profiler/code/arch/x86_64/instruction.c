#include "profiler/code/arch/x86_64/instruction.h"

#include <stdbool.h>

/* What follows an opcode. */
enum {
    N = 0,      /* nothing */
    M = 1,      /* ModRM, with what it asks for */
    B = 2,      /* 8-bit immediate */
    Z = 4,      /* 32-bit immediate, 16-bit with 66 */
    W = 8,      /* 16-bit immediate */
    V = 16,     /* immediate as wide as the operand: 16, 32 or 64 bits */
    A = 32,     /* absolute address */
    X = 64,     /* no instruction of 64-bit mode, or dealt with before the table */
    G = 128,    /* ModRM, and an immediate if its reg field is 0 or 1: B, Z by the lowest bit of the opcode */
    R = 64 + 4, /* 32-bit displacement; what it is with 66 depends on the processor */
};

static const uint8_t one_byte[256] = {
    /* 00 */ M,     M,     M, M,     B, Z, X,     X,     M,     M,     M, M,     B, Z, X, X,
    /* 10 */ M,     M,     M, M,     B, Z, X,     X,     M,     M,     M, M,     B, Z, X, X,
    /* 20 */ M,     M,     M, M,     B, Z, X,     X,     M,     M,     M, M,     B, Z, X, X,
    /* 30 */ M,     M,     M, M,     B, Z, X,     X,     M,     M,     M, M,     B, Z, X, X,
    /* 40 */ X,     X,     X, X,     X, X, X,     X,     X,     X,     X, X,     X, X, X, X,
    /* 50 */ N,     N,     N, N,     N, N, N,     N,     N,     N,     N, N,     N, N, N, N,
    /* 60 */ X,     X,     X, M,     X, X, X,     X,     Z,     M + Z, B, M + B, N, N, N, N,
    /* 70 */ B,     B,     B, B,     B, B, B,     B,     B,     B,     B, B,     B, B, B, B,
    /* 80 */ M + B, M + Z, X, M + B, M, M, M,     M,     M,     M,     M, M,     M, M, M, M,
    /* 90 */ N,     N,     N, N,     N, N, N,     N,     N,     N,     X, N,     N, N, N, N,
    /* a0 */ A,     A,     A, A,     N, N, N,     N,     B,     Z,     N, N,     N, N, N, N,
    /* b0 */ B,     B,     B, B,     B, B, B,     B,     V,     V,     V, V,     V, V, V, V,
    /* c0 */ M + B, M + B, W, N,     X, X, M + B, M + Z, W + B, N,     W, N,     N, B, X, N,
    /* d0 */ M,     M,     M, M,     X, X, X,     N,     M,     M,     M, M,     M, M, M, M,
    /* e0 */ B,     B,     B, B,     B, B, B,     B,     R,     R,     X, B,     N, N, N, N,
    /* f0 */ X,     N,     X, X,     N, N, G,     G,     N,     N,     N, N,     N, N, M, M};

static const uint8_t two_bytes[256] =
    {/* behind 0f */
     /* 00 */ M,     M,     M,     M,     X,     N,     N,     N, N, N, X,     N, X,     M, N, M + B,
     /* 10 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* 20 */ M,     M,     M,     M,     X,     X,     X,     X, M, M, M,     M, M,     M, M, M,
     /* 30 */ N,     N,     N,     N,     N,     N,     X,     N, X, X, X,     X, X,     X, X, X,
     /* 40 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* 50 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* 60 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* 70 */ M + B, M + B, M + B, M + B, M,     M,     M,     N, M, M, X,     X, M,     M, M, M,
     /* 80 */ R,     R,     R,     R,     R,     R,     R,     R, R, R, R,     R, R,     R, R, R,
     /* 90 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* a0 */ N,     N,     N,     M,     M + B, M,     X,     X, N, N, N,     M, M + B, M, M, M,
     /* b0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M + B, M, M,     M, M, M,
     /* c0 */ M,     M,     M + B, M,     M + B, M + B, M + B, M, N, N, N,     N, N,     N, N, N,
     /* d0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* e0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
     /* f0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M};

struct reader {
    const uint8_t *at;
    uint64_t left, used;
    bool short_operand, wide, short_address; /* 66, REX.W, 67 */
};

/* The next byte; past the end 0, which `used` then tells. */
static uint8_t next(struct reader *r)
{
    uint64_t i = r->used++;
    return i < r->left ? r->at[i] : 0;
}

static uint8_t peek(const struct reader *r)
{
    return r->used < r->left ? r->at[r->used] : 0;
}

static void skip_modrm(struct reader *r)
{
    uint8_t modrm = next(r), mod = modrm >> 6, low = modrm & 7;
    if (mod == 3)
        return;
    if (low == 4)
        low = next(r) & 7; /* SIB: its base */
    if (mod == 1)
        r->used += 1;
    else if (mod == 2 || (mod == 0 && low == 5))
        r->used += 4;
}

/* Past what follows an opcode. False: no instruction. */
static bool skip_operands(struct reader *r, uint8_t opcode, uint8_t follows)
{
    if (follows == G) {
        follows = peek(r) & 0x30 ? M : opcode & 1 ? M + Z : M + B;
    } else if (follows == R) {
        if (r->short_operand && !r->wide)
            return false;
        r->used += 4;
        return true;
    }
    if (follows & X)
        return false;
    if (follows & M)
        skip_modrm(r);
    if (follows & B)
        r->used += 1;
    if (follows & W)
        r->used += 2;
    if (follows & Z)
        r->used += r->short_operand && !r->wide ? 2 : 4;
    if (follows & V)
        r->used += r->wide ? 8 : r->short_operand ? 2 : 4;
    if (follows & A)
        r->used += r->short_address ? 4 : 8;
    return true;
}

/* VEX (c4, c5) and EVEX (62): a map, an opcode, ModRM, and in some an 8-bit immediate. */
static bool skip_vector(struct reader *r, uint8_t escape)
{
    uint8_t map = escape == 0xc5 ? 1 : next(r) & (escape == 0x62 ? 7 : 31);
    r->used += escape == 0x62 ? 2 : 1;
    uint8_t opcode = next(r);
    if (map == 1) {
        if (escape != 0x62 && opcode == 0x77)
            return true;
        return skip_operands(r, opcode, M | (two_bytes[opcode] & B));
    }
    if (map == 3)
        return skip_operands(r, opcode, M + B);
    return (map == 2 || (escape == 0x62 && (map == 5 || map == 6))) && skip_operands(r, opcode, M);
}

static bool skip_escaped(struct reader *r) /* behind 0f */
{
    uint8_t opcode = next(r);
    if (opcode == 0x38 || opcode == 0x3a) {
        uint8_t third = next(r);
        return skip_operands(r, third, opcode == 0x38 ? M : M + B);
    }
    return skip_operands(r, opcode, two_bytes[opcode]);
}

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || (byte & 0xe7) == 0x26 ||
           byte == 0x64 || byte == 0x65;
}

unsigned instruction_length(const uint8_t *at, uint64_t left, unsigned *opcode)
{
    struct reader r = {.at = at, .left = left};
    while (r.used < 15 && is_prefix(peek(&r))) {
        uint8_t prefix = next(&r);
        r.short_operand |= prefix == 0x66;
        r.short_address |= prefix == 0x67;
    }
    if ((peek(&r) & 0xf0) == 0x40)
        r.wide = next(&r) & 8;
    *opcode = (unsigned)r.used;
    uint8_t byte = next(&r);
    bool known;
    if (byte == 0x0f)
        known = skip_escaped(&r);
    else if (byte == 0xc4 || byte == 0xc5 || byte == 0x62)
        known = skip_vector(&r, byte);
    else if (byte == 0x8f && (peek(&r) & 0x38))
        known = false; /* AMD's XOP */
    else
        known = skip_operands(&r, byte, one_byte[byte]);
    return known && r.used <= left && r.used <= 15 ? (unsigned)r.used : 0;
}
