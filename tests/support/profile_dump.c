/* profile_dump FILE...: what is in profile files, as lines to grep. */
#include "tests/support/profile_view.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct view v = view_load(argv[i]);
        const struct pcomp_header *h = &v.header;
        printf("file %s pid %d ppid %d state %u stopped %u used %lu lost %lu late %lu forked_from %lu model %u clock "
               "%u flags %u startup_us %lu own %ld descendant %ld lookup %ld skip %ld pair %ld\n",
               argv[i], h->pid, h->ppid, h->state, h->stopped, h->used, h->lost_calls, h->late_calls, h->forked_from,
               h->model, h->clock, h->flags, h->startup_ns / 1000, h->delta_start[0].own, h->delta_start[0].descendant,
               h->delta_start[1].descendant, h->delta_start[2].descendant, h->clock_pair);
        printf("sampler %u signal %u samples %lu weights %lu delivery_us %.1f sampling_us %.1f windows %lu why '%s'\n",
               h->sampler, h->sampler_signal, h->samples, v.weights,
               view_ns(&v, h->sample_delivery >> PCOMP_FIX_SHIFT) / 1000, view_ns(&v, h->sample_ticks) / 1000,
               h->windows, h->sampler_why);
        for (uint32_t k = 0; k < v.thread_count; k++) {
            const struct pcomp_thread *t = &v.threads[k];
            printf("thread %u tid %d name '%s' flags %u ended %d uncertain %lu abandoned %lu unmatched %lu backwards "
                   "%lu switches %lu beyond %lu paused_us %.0f nodes %lu stacks %u\n",
                   t->index, t->tid, t->name, t->flags, t->end_tick != 0, t->uncertain, t->abandoned, t->unmatched,
                   t->backwards, t->stack_switches, t->beyond_depth, view_ns(&v, t->paused_ticks) / 1000, t->node_count,
                   t->stack_count);
        }
        for (uint32_t k = 0; k < v.node_count; k++) {
            const struct view_node *n = &v.nodes[k];
            if (n->parent == VIEW_NONE)
                continue;
            printf("node %u %s calls %lu open %lu inherited %lu lookups %u raw_us %.1f compensated_us %.1f%s%s%s\n",
                   n->thread, view_path(&v, k), n->record.calls, n->open, n->inherited, n->record.lookups,
                   view_ns(&v, n->record.raw + n->open_raw) / 1000,
                   (double)n->record.compensated / (1 << PCOMP_FIX_SHIFT) * 1e6 / h->tick_hz,
                   n->extra.flags & PCOMP_NODE_SKIPPED ? " skipped" : "", n->extra.native_link ? " native " : "",
                   n->extra.native_link ? v.map + (n->extra.native_link - h->base) : "");
            if (n->off_cpu.waiting || n->off_cpu.ready)
                printf("    waiting_us %.1f ready_us %.1f\n", view_ns(&v, n->off_cpu.waiting) / 1000,
                       view_ns(&v, n->off_cpu.ready) / 1000);
        }
        view_free(&v);
    }
    return 0;
}
