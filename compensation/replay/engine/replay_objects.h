/* Objects of a process by their names, and queues of stamps. */
#ifndef PCOMP_REPLAY_OBJECTS_H
#define PCOMP_REPLAY_OBJECTS_H

#include "compensation/replay/engine/replay_state.h"

/* The object with this name in the location's process, made (zeroed, `size` bytes) when it is new. NULL: no memory,
 * return replay_no_memory(). */
void *replay_object(struct replay *r, enum replay_family family, const struct location_state *p, uint64_t name,
                    size_t size);
void replay_object_remove(struct replay *r, enum replay_family family, const struct location_state *p, uint64_t name);

/* A queue of stamps. All zero: empty. */
struct replay_queue {
    struct replay_stamp *stamps;
    uint32_t room, first, count; /* room: power of two */
};

bool replay_queue_push(struct replay *r, struct replay_queue *queue, const struct replay_stamp *stamp);

static inline struct replay_stamp *replay_queue_at(const struct replay_queue *queue, uint32_t i)
{
    return &queue->stamps[(queue->first + i) & (queue->room - 1)];
}

static inline void replay_queue_pop(struct replay_queue *queue)
{
    queue->first++;
    queue->count--;
}

#endif
