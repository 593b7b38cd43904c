#include "profiler/base/counts.h"

#include "profiler/base/private_memory.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK_MIN         4096u /* bytes of a chunk */
#define BLOCKS_MAX        16u   /* of one thread: each is twice the one before */
#define DESTRUCTOR_ROUNDS PTHREAD_DESTRUCTOR_ITERATIONS

struct block {
    uint64_t *counters;
    uint32_t count;
};

/* A thread's blocks. Its struct serves another thread when it has ended. */
struct counts_owner {
    uint64_t **newest; /* the thread's pointer; NULL: it ended */
    struct block blocks[BLOCKS_MAX];
    uint32_t used;
    uint32_t rounds; /* of destructors that are over */
    struct counts_owner *next;
};

/* Private memory: what threads count here that have no block, until it is published. */
static _Alignas(4096) uint64_t common[COUNTS_MAX];
__thread uint64_t *counts_thread __attribute__((tls_model("initial-exec"), visibility("hidden"))) = common;
static __thread struct counts_owner *own;

bool counts_on;
static struct spin lock;
static struct counts_owner *owners;
static struct block ended, published; /* threads that ended; a copy of the common block */
static uint32_t room;                 /* counters that each thread's newest block has, at least */
static pthread_key_t key;
static bool key_made;
static __thread uint64_t *scratch;     /* while a fork is under way ... */
static __thread uint64_t *behind_fork; /* ... where the thread counts behind it */

int32_t counts_tls_offset(void)
{
#if defined(__x86_64__)
    uint64_t thread;
    __asm__("movq %%fs:0, %0" : "=r"(thread));
    return (int32_t)((uint64_t)(uintptr_t)&counts_thread - thread);
#else
    return 0;
#endif
}

static struct block new_block(uint32_t kind, uint32_t count)
{
    uint64_t size = sizeof(struct pcomp_chunk) + (uint64_t)count * sizeof(uint64_t);
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_COUNTS, size, 0, sizeof(uint64_t));
    if (!c)
        return (struct block){NULL, 0};
    c->reserved[1] = kind;
    c->capacity = count;
    __atomic_store_n(&c->count, count, __ATOMIC_RELEASE);
    return (struct block){(uint64_t *)(c + 1), count};
}

static struct block *newest_of(struct counts_owner *o)
{
    return o->used ? &o->blocks[o->used - 1] : NULL;
}

/* A block with room for `count` counters, at the end of the thread's list. False: no memory. */
static bool extend(struct counts_owner *o, uint32_t count)
{
    if (newest_of(o) && newest_of(o)->count >= count)
        return true;
    if (o->used == BLOCKS_MAX)
        return false;
    struct block b = new_block(PCOMP_COUNTS_THREAD, count);
    if (!b.counters)
        return false;
    o->blocks[o->used] = b;
    __atomic_store_n(&o->used, o->used + 1, __ATOMIC_RELEASE); /* others sum up without the lock */
    if (o->newest)
        __atomic_store_n(o->newest, b.counters, __ATOMIC_RELEASE);
    return true;
}

static void add_to(struct block *sum, uint32_t kind, uint64_t *from, uint32_t count)
{
    if (sum->count < count) {
        struct block larger = new_block(kind, count);
        if (!larger.counters)
            return; /* `from` keeps them */
        if (sum->counters)
            add_to(&larger, kind, sum->counters, sum->count);
        *sum = larger;
    }
    for (uint32_t i = 0; i < count; i++)
        if (from[i]) {
            sum->counters[i] += from[i];
            from[i] = 0;
        }
}

/* --- threads ---------------------------------------------------------------------------------------------------------
 */

static void end_thread(struct counts_owner *o)
{
    sigset_t saved;
    signals_block(&saved);
    counts_thread = common;
    own = NULL;
    spin_lock(&lock);
    o->newest = NULL;
    for (uint32_t i = 0; i < o->used && counts_on; i++) /* behind the end they stay where they are */
        add_to(&ended, PCOMP_COUNTS_ENDED, o->blocks[i].counters, o->blocks[i].count);
    spin_unlock(&lock);
    signals_restore(&saved);
}

/* Other destructors are still to be counted: in the last round of all. */
static void destructor(void *owner)
{
    struct counts_owner *o = owner;
    if (own == o && ++o->rounds < DESTRUCTOR_ROUNDS)
        pthread_setspecific(key, o);
    else if (own == o)
        end_thread(o);
}

static struct counts_owner *take_owner(void)
{
    struct counts_owner *o = owners;
    while (o && o->newest)
        o = o->next;
    if (!o && (o = private_memory(sizeof(*o)))) {
        o->next = owners;
        owners = o;
    }
    return o;
}

void counts_begin_thread(void)
{
    if (own || !counts_on)
        return;
    spin_lock(&lock);
    struct counts_owner *o = counts_on ? take_owner() : NULL;
    if (o && extend(o, room)) {
        o->newest = &counts_thread;
        o->rounds = 0;
        own = o;
        counts_thread = newest_of(o)->counters;
    }
    spin_unlock(&lock);
    if (own && key_made)
        pthread_setspecific(key, own);
}

/* --- counters --------------------------------------------------------------------------------------------------------
 */

static uint32_t counters_in(uint64_t bytes)
{
    return (uint32_t)((bytes - sizeof(struct pcomp_chunk)) / sizeof(uint64_t));
}

void counts_start(void)
{
    if (!key_made)
        key_made = pthread_key_create(&key, destructor) == 0;
    room = counters_in(BLOCK_MIN);
    common[PCOMP_FUNCTION_ROOT] = 0; /* the kernels of the calibration count here */
    counts_on = true;
}

bool counts_make_room(uint32_t count)
{
    if (count <= __atomic_load_n(&room, __ATOMIC_ACQUIRE))
        return true;
    if (count > COUNTS_MAX)
        return false;
    uint64_t bytes = BLOCK_MIN;
    while (counters_in(bytes) < count)
        bytes *= 2;
    uint32_t wanted = counters_in(bytes) < COUNTS_MAX ? counters_in(bytes) : COUNTS_MAX;
    spin_lock(&lock);
    bool done = counts_on;
    for (struct counts_owner *o = owners; o && done; o = o->next)
        done = !o->newest || extend(o, wanted);
    if (done && wanted > room) /* not before all threads have it: they count below it without the lock */
        __atomic_store_n(&room, wanted, __ATOMIC_RELEASE);
    spin_unlock(&lock);
    return done;
}

bool counts_add(uint32_t function)
{
    if (function >= __atomic_load_n(&room, __ATOMIC_ACQUIRE)) /* before the pointer to the block */
        return false;
    __atomic_fetch_add(&counts_thread[function], 1, __ATOMIC_RELAXED);
    return true;
}

const struct counts_owner *counts_own(void)
{
    return own;
}

uint64_t counts_of(const struct counts_owner *o, uint32_t function)
{
    uint64_t sum = 0;
    uint32_t used = __atomic_load_n(&o->used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++)
        if (function < o->blocks[i].count)
            sum += __atomic_load_n(&o->blocks[i].counters[function], __ATOMIC_RELAXED);
    return sum;
}

static void sum_block(const struct block *b, uint64_t *sums, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < b->count; i++)
        sums[i] += __atomic_load_n(&b->counters[i], __ATOMIC_RELAXED);
}

void counts_sum(uint64_t *sums, uint32_t count)
{
    const struct block shared = {common, room};
    spin_lock(&lock);
    for (struct counts_owner *o = owners; o; o = o->next)
        for (uint32_t i = 0; i < o->used; i++)
            sum_block(&o->blocks[i], sums, count);
    sum_block(&ended, sums, count);
    sum_block(&shared, sums, count);
    spin_unlock(&lock);
}

void counts_publish(void)
{
    if (!counts_on)
        return;
    spin_lock(&lock);
    bool any = published.counters != NULL;
    for (uint32_t i = 0; i < room && !any; i++)
        any = common[i] != 0;
    if (any && published.count < room) {
        struct block b = new_block(PCOMP_COUNTS_COMMON, room);
        if (b.counters) {
            if (published.counters)
                memset(published.counters, 0, published.count * sizeof(uint64_t));
            published = b;
        }
    }
    if (any && published.counters)
        memcpy(published.counters, common, published.count * sizeof(uint64_t));
    spin_unlock(&lock);
}

/* Those in the common block that there was no memory to publish. */
static uint64_t unpublished(void)
{
    uint64_t calls = 0;
    for (uint32_t i = published.count < PCOMP_FUNCTION_FIRST ? PCOMP_FUNCTION_FIRST : published.count; i < room; i++)
        calls += common[i];
    return calls;
}

uint64_t counts_close(void)
{
    counts_publish();
    spin_lock(&lock);
    uint64_t lost = unpublished();
    counts_on = false; /* threads that begin now have no counters of their own */
    spin_unlock(&lock);
    return lost;
}

/* --- forks -----------------------------------------------------------------------------------------------------------
 */

/* The profile is shared with the child: until it has one of its own, the forking thread counts in private memory. */
void counts_before_fork(void)
{
    if (!own)
        return;
    void *memory = mmap(NULL, COUNTS_MAX * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return;
    sigset_t saved;
    signals_block(&saved);
    spin_lock(&lock);
    behind_fork = counts_thread;
    own->newest = &behind_fork; /* a block that grows meanwhile is not for now */
    counts_thread = scratch = memory;
    spin_unlock(&lock);
    signals_restore(&saved);
}

void counts_after_fork(void)
{
    if (!scratch)
        return;
    sigset_t saved;
    signals_block(&saved);
    spin_lock(&lock);
    own->newest = &counts_thread;
    counts_thread = behind_fork;
    struct block block = *newest_of(own);
    spin_unlock(&lock);
    for (uint32_t i = 0; i < block.count; i++)
        if (scratch[i])
            block.counters[i] += scratch[i];
    munmap(scratch, COUNTS_MAX * sizeof(uint64_t));
    scratch = NULL;
    signals_restore(&saved);
}

void counts_in_child(void)
{
    if (scratch)
        munmap(scratch, COUNTS_MAX * sizeof(uint64_t));
    scratch = NULL;
    lock.taken = 0;
    owners = NULL;
    own = NULL;
    ended = published = (struct block){NULL, 0};
    counts_on = false;
    counts_thread = common;
    /* of the parent's other threads, which are not here */
    madvise(common, sizeof(common), MADV_DONTNEED);
}
