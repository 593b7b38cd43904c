#include "profiler/process/ended_threads.h"

#include "profiler/base/config.h"
#include "profiler/base/private_memory.h"
#include "profiler/base/spin.h"

#define LOOKED_AT 64u /* records that a new thread looks at for one of its creator */

struct ended_thread {
    struct thread_state left; /* what the record and its call paths need of it */
    struct stack_samples samples;
    uint64_t start; /* address of the thread's function */
    struct ended_thread *next;
};

static struct spin lock;
static struct ended_thread *ended, *unused;

static void copy_record(struct thread_state *to, const struct thread_state *from)
{
    to->thread = from->thread;
    to->root = from->root;
    to->limit_node = from->limit_node;
    to->nodes = from->nodes;
    to->extra_size = from->extra_size;
    to->base = from->base;
    to->table = from->table;
    to->table_shift = from->table_shift;
    to->table_used = from->table_used;
    to->spreads = from->spreads;
    to->spread_rest = from->spread_rest;
}

static struct ended_thread *new_entry(void)
{
    spin_lock(&lock);
    struct ended_thread *e = unused;
    if (e)
        unused = e->next;
    spin_unlock(&lock);
    return e ? e : private_memory(sizeof(*e));
}

bool ended_thread_keep(struct thread_state *h, uint64_t start, struct stack_samples *samples)
{
    const struct thread_state none = {0};
    if (config.trace || config.custom || !start || h->thread->index < ENDED_THREADS_OWN)
        return false;
    struct ended_thread *e = new_entry();
    if (!e)
        return false;
    copy_record(&e->left, h);
    e->samples = *samples;
    e->start = start;
    copy_record(h, &none);
    *samples = (struct stack_samples){0};
    spin_lock(&lock);
    e->next = ended;
    ended = e;
    spin_unlock(&lock);
    return true;
}

bool ended_thread_take(struct thread_state *h, uint64_t creator, uint64_t start, struct stack_samples *samples)
{
    struct ended_thread *found = NULL;
    if (!__atomic_load_n(&ended, __ATOMIC_RELAXED))
        return false;
    spin_lock(&lock);
    struct ended_thread **link = &ended;
    for (unsigned i = 0; *link && i < LOOKED_AT; i++, link = &(*link)->next)
        if (!start || ((*link)->left.thread->creator_link == creator && (*link)->start == start)) {
            found = *link;
            *link = found->next;
            copy_record(h, &found->left);
            *samples = found->samples;
            found->next = unused;
            unused = found;
            break;
        }
    spin_unlock(&lock);
    return found;
}

void ended_threads_forget(void)
{
    lock.taken = 0;
    ended = unused = NULL;
}
