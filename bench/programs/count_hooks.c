/* Hooks that only count: the truth that the profiler's counts are held against. Threads may count at the same
 * time.
 *
 * Preloaded into a program built with -finstrument-functions alone. At exit writes a line "HEXADDRESS COUNT MODULE" a
 * function to $BENCH_COUNTS; the address is that of the ELF file. Counts are taken at enter. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

enum { SLOTS = 1 << 16 };

static struct {
    void *function;
    uint64_t calls;
} slots[SLOTS];
static uint64_t overflow;

void __cyg_profile_func_enter(void *function, void *site)
{
    size_t start = ((uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15)) >> 48;
    (void)site;
    for (size_t i = 0; i < SLOTS; i++) {
        size_t slot = (start + i) % SLOTS;
        void *known = __atomic_load_n(&slots[slot].function, __ATOMIC_RELAXED);
        if (!known &&
            __atomic_compare_exchange_n(&slots[slot].function, &known, function, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            known = function;
        if (known == function) {
            __atomic_fetch_add(&slots[slot].calls, 1, __ATOMIC_RELAXED);
            return;
        }
    }
    __atomic_fetch_add(&overflow, 1, __ATOMIC_RELAXED);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("BENCH_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) {
        perror("count_hooks: BENCH_COUNTS");
        return;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        Dl_info info;
        struct link_map *map = NULL;
        if (!slots[i].function)
            continue;
        if (!dladdr1(slots[i].function, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
            fprintf(file, "%" PRIxPTR " %" PRIu64 " ?\n", (uintptr_t)slots[i].function, slots[i].calls);
        else
            fprintf(file, "%" PRIxPTR " %" PRIu64 " %s\n", (uintptr_t)slots[i].function - map->l_addr, slots[i].calls,
                    info.dli_fname);
    }
    if (overflow)
        fprintf(file, "0 %" PRIu64 " overflow\n", overflow);
    if (fclose(file))
        perror("count_hooks: BENCH_COUNTS");
}
