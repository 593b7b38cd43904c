#include "compensation/replay/schedule.h"

#include <stdlib.h>

/* Locations as a heap: the one that is free first at its root. */
struct heap {
    const uint64_t *free;
    uint32_t *at, count;
};

static bool comes_before(const struct heap *h, uint32_t x, uint32_t y)
{
    return h->free[x] != h->free[y] ? h->free[x] < h->free[y] : x < y;
}

static void sift_down(struct heap *h, uint32_t i)
{
    for (uint32_t child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && comes_before(h, h->at[child + 1], h->at[child]))
            child++;
        if (!comes_before(h, h->at[child], h->at[i]))
            return;
        uint32_t swapped = h->at[i];
        h->at[i] = h->at[child];
        h->at[child] = swapped;
    }
}

size_t schedule_chunk(const struct schedule *schedule, size_t remaining, uint32_t locations)
{
    if (schedule->policy == SCHEDULE_STATIC)
        return 1;
    size_t chunk = schedule->chunk ? schedule->chunk : 1;
    if (schedule->policy == SCHEDULE_GUIDED && locations) {
        size_t share = remaining / locations + (remaining % locations != 0);
        chunk = share > chunk ? share : chunk;
    }
    return chunk < remaining ? chunk : remaining;
}

static bool assign_to_first_free(const struct schedule *schedule, const uint64_t *costs, size_t count, uint64_t *ready,
                                 uint32_t locations, uint32_t *assigned)
{
    struct heap h = {ready, malloc(locations * sizeof *h.at), locations};
    if (!h.at)
        return false;
    for (uint32_t i = 0; i < locations; i++)
        h.at[i] = i;
    for (uint32_t i = locations / 2; i-- > 0;)
        sift_down(&h, i);
    for (size_t done = 0; done < count;) {
        for (size_t end = done + schedule_chunk(schedule, count - done, locations); done < end; done++) {
            assigned[done] = h.at[0];
            ready[h.at[0]] += costs[done];
        }
        sift_down(&h, 0);
    }
    free(h.at);
    return true;
}

static void assign_in_turn(size_t chunk, const uint64_t *costs, size_t count, uint64_t *ready, uint32_t locations,
                           uint32_t *assigned)
{
    size_t longer = count % locations, block = count / locations, in_longer = longer * (block + 1);
    for (size_t i = 0; i < count; i++) {
        size_t in_block = i < in_longer ? i / (block + 1) : longer + (i - in_longer) / (block ? block : 1);
        assigned[i] = (uint32_t)(chunk ? i / chunk % locations : in_block);
        ready[assigned[i]] += costs[i];
    }
}

bool schedule_assign(const struct schedule *schedule, const uint64_t *costs, size_t count, uint64_t *ready,
                     uint32_t locations, uint32_t *assigned)
{
    if (schedule->policy != SCHEDULE_STATIC)
        return assign_to_first_free(schedule, costs, count, ready, locations, assigned);
    assign_in_turn(schedule->chunk, costs, count, ready, locations, assigned);
    return true;
}
