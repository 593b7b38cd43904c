/*
 * A caller with more values than registers that a call preserves. gcc -fipa-ra keeps some of them in r11 over the call
 * of a function that it has seen to leave r11 alone; what is patched into sleds does not leave it alone.
 *
 * With -DCONTROL and without the plugin the no-ops at the callee's entry are patched instead: the result must change,
 * which shows that this program can tell.
 */
#include "tests/instrument/gcc/sled_patcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CONTROL
#define ENTRY __attribute__((patchable_function_entry(11)))
#else
#define ENTRY
#endif

#ifndef OPTIONS
#define OPTIONS
#endif

static ENTRY OPTIONS __attribute__((noinline, noclone)) unsigned long callee(unsigned long a)
{
    return a * 3 ^ a >> 7;
}

OPTIONS __attribute__((noinline, noclone)) unsigned long caller(const unsigned long *p, unsigned long n)
{
    __asm__ volatile("" : : : "memory"); // the second call is not the first
    unsigned long a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7], i = p[8], j = p[9];
    for (unsigned long k = 0; k < n; k++) {
        unsigned long r = callee(a + k);
        a += b ^ r;
        b += c + r;
        c ^= d + r;
        d += e ^ r;
        e += f + r;
        f ^= g + r;
        g += h ^ r;
        h += i + r;
        i ^= j + r;
        j += a ^ r;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j;
}

__attribute__((no_instrument_function)) int main(int count, char **words)
{
    (void)words;
    unsigned long p[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, (unsigned long)count};
    unsigned long before = caller(p, 1000);
    sleds_patch();
#ifdef CONTROL
    sleds_patch_place((void *)callee, 11);
#endif
    unsigned long after = caller(p, 1000);
    if (before != after)
        printf("r11 is not what it was: %lx, %lx\n", before, after);
#ifndef CONTROL
    sleds_expect("callee", 1000, 1000);
#endif
    return before != after || sleds_failures();
}
