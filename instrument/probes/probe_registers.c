#if defined(__x86_64__)
#include "instrument/probes/probe_registers.h"

#include <cpuid.h>

#define AREA_HEADER 512u
#define COMPONENTS  0xe7u /* x87, SSE, AVX, AVX-512; a program that uses AMX keeps no tile across calls */

enum save { SAVE_FXSAVE, SAVE_XSAVE, SAVE_XSAVEC };

struct vectors probe_vectors __attribute__((used, visibility("hidden"))) = {512, 0, SAVE_FXSAVE};

void probe_registers_start(void)
{
    uint32_t a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d))
        return;
    uint32_t save = a & bit_XSAVEC ? SAVE_XSAVEC : SAVE_XSAVE;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    uint64_t size = AREA_HEADER + 64;
    for (uint32_t i = 2; i < 8; i++)
        if ((low & COMPONENTS & (1u << i)) && __get_cpuid_count(0xd, i, &a, &b, &c, &d) && a + b > size)
            size = a + b;
    probe_vectors = (struct vectors){(size + 63) / 64 * 64 + 64, low & COMPONENTS, save};
}

#endif
