#include "profiler/base/private_memory.h"

#include "profiler/base/spin.h"

#include <stddef.h>
#include <sys/mman.h>

static struct spin lock;
static char *private_at, *private_end;

void *private_memory(uint64_t size)
{
    sigset_t saved;
    void *given = NULL;
    size = (size + 63) & ~63ull;
    signals_block(&saved);
    spin_lock(&lock);
    if (!private_at || (uint64_t)(private_end - private_at) < size) {
        uint64_t block = size > 65536 ? size : 65536;
        char *fresh = mmap(NULL, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh != MAP_FAILED) {
            private_at = fresh;
            private_end = fresh + block;
        }
    }
    if (private_at && (uint64_t)(private_end - private_at) >= size) {
        given = private_at;
        private_at += size;
    }
    spin_unlock(&lock);
    signals_restore(&saved);
    return given;
}

void private_memory_forget(void)
{
    lock.taken = 0;
}
