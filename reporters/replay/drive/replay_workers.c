#include "reporters/replay/drive/replay_workers.h"

#include "profiler/format/trace_format.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define MEMORY    (64u << 20) /* bytes of all blocks together */
#define BLOCK_MIN (8u << 10)
#define BLOCK_MAX (256u << 10) /* what is read is still in the cache when it is rewritten */
/* Locations that run in step are through with their blocks at about the same time. */
enum { WAITING_MAX = 64, AHEAD_MAX = 64 };

enum task { FINISH, READ, TASKS };

struct lane {                          /* of a location */
    struct replay_block *ahead;        /* read, and not asked for so far */
    struct replay_block *first, *last; /* to be finished */
    struct lane *next[TASKS];          /* in the line of a task */
    struct lane *previous[TASKS];
    bool in_line[TASKS];
    bool under_way[TASKS]; /* somebody is at it */
    bool ended;            /* read to its end */
};

struct replay_workers {
    struct replay_tasks tasks;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t work;   /* there may be something to do for a thread */
    pthread_cond_t done;   /* what the caller waits for may be so */
    struct {
        struct lane *first, *last;
    } lines[TASKS]; /* of locations for which there is something to do, longest waiting first */
    struct replay_block_pool pool;
    uint32_t ahead;   /* blocks read ahead, or about to be */
    uint32_t waiting; /* blocks put and not finished */
    bool ending;
    pthread_t *threads;
    unsigned thread_count;
    uint32_t location_count;
    struct lane lanes[];
};

unsigned replay_workers_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* --- Lines: all with the mutex --------------------------------------------------------------------------------------
 */

static uint32_t number_of(const struct replay_workers *workers, const struct lane *lane)
{
    return (uint32_t)(lane - workers->lanes);
}

static void line_up(struct replay_workers *workers, struct lane *lane, enum task task)
{
    struct lane *last = workers->lines[task].last;
    if (lane->in_line[task])
        return;
    lane->in_line[task] = true;
    lane->previous[task] = last;
    lane->next[task] = NULL;
    *(last ? &last->next[task] : &workers->lines[task].first) = lane;
    workers->lines[task].last = lane;
    if (task == FINISH || workers->ahead < AHEAD_MAX)
        pthread_cond_signal(&workers->work);
}

static void leave_line(struct replay_workers *workers, struct lane *lane, enum task task)
{
    struct lane *previous = lane->previous[task], *next = lane->next[task];
    if (!lane->in_line[task])
        return;
    lane->in_line[task] = false;
    *(previous ? &previous->next[task] : &workers->lines[task].first) = next;
    *(next ? &next->previous[task] : &workers->lines[task].last) = previous;
}

static struct lane *take_first(struct replay_workers *workers, enum task task)
{
    struct lane *lane = workers->lines[task].first;
    if (lane)
        leave_line(workers, lane, task);
    return lane;
}

/* --- Tasks: all with the mutex, which is free meanwhile ------------------------------------------------------------
 */

static void read_block(struct replay_workers *workers, struct lane *lane, struct replay_block *block)
{
    lane->under_way[READ] = true;
    pthread_mutex_unlock(&workers->mutex);
    workers->tasks.read(workers->tasks.context, block, workers->pool.records);
    pthread_mutex_lock(&workers->mutex);
    lane->under_way[READ] = false;
    lane->ended = block->size == 0;
}

/* False: nothing is to be read ahead. */
static bool read_one(struct replay_workers *workers)
{
    struct lane *lane = workers->ahead < AHEAD_MAX ? take_first(workers, READ) : NULL;
    struct replay_block *block = lane ? replay_block_take(&workers->pool, number_of(workers, lane)) : NULL;
    if (!block)
        return false;
    workers->ahead++;
    read_block(workers, lane, block);
    lane->ahead = block;
    pthread_cond_signal(&workers->done);
    return true;
}

/* False: nothing can be finished now. */
static bool finish_one(struct replay_workers *workers)
{
    struct lane *lane = take_first(workers, FINISH);
    if (!lane)
        return false;
    struct replay_block *block = lane->first;
    lane->first = block->next;
    lane->under_way[FINISH] = true;
    pthread_mutex_unlock(&workers->mutex);
    workers->tasks.finish(workers->tasks.context, block);
    pthread_mutex_lock(&workers->mutex);
    lane->under_way[FINISH] = false;
    replay_block_give_back(&workers->pool, block);
    workers->waiting--;
    if (lane->first)
        line_up(workers, lane, FINISH);
    pthread_cond_signal(&workers->done);
    return true;
}

/* What the caller has replayed comes first: it holds memory. */
static void *work(void *context)
{
    struct replay_workers *workers = context;
    pthread_mutex_lock(&workers->mutex);
    for (;;) {
        if (finish_one(workers) || (!workers->ending && read_one(workers)))
            continue;
        if (workers->ending)
            break;
        pthread_cond_wait(&workers->work, &workers->mutex);
    }
    pthread_mutex_unlock(&workers->mutex);
    return NULL;
}

/* The caller takes part until no more than `most` blocks wait. */
static void finish_down_to(struct replay_workers *workers, uint32_t max)
{
    while (workers->waiting > max)
        if (!finish_one(workers))
            pthread_cond_wait(&workers->done, &workers->mutex);
}

/* --- For the caller -------------------------------------------------------------------------------------------------
 */

/* The same for any number of threads, so that what is written is the same to the byte. */
static size_t block_room(uint32_t own)
{
    size_t segment = MEMORY / 2 / (own + (size_t)WAITING_MAX + AHEAD_MAX) / BLOCK_MIN * BLOCK_MIN;
    segment = segment < BLOCK_MIN ? BLOCK_MIN : segment > BLOCK_MAX ? BLOCK_MAX : segment;
    return segment - sizeof(struct pcomp_trace_segment);
}

struct replay_workers *replay_workers_begin(const struct replay_tasks *tasks, uint32_t locations, uint32_t own,
                                            unsigned threads)
{
    struct replay_workers *workers = calloc(1, sizeof *workers + locations * sizeof *workers->lanes);
    if (!workers)
        return NULL;
    uint64_t useful = 2 * (uint64_t)own; /* reading and finishing each */
    unsigned wanted = threads - 1 < useful ? threads - 1 : (unsigned)useful;
    workers->tasks = *tasks;
    workers->location_count = locations;
    workers->pool.records = block_room(own);
    if (wanted) { /* a heap for each thread grows page by page, under the lock that page faults of all threads take */
        mallopt(M_ARENA_MAX, 1);
        mallopt(M_TOP_PAD, 4 << 20);
    }
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->work, NULL);
    pthread_cond_init(&workers->done, NULL);
    workers->threads = calloc(wanted + (size_t)1, sizeof *workers->threads);
    while (workers->threads && workers->thread_count < wanted &&
           pthread_create(&workers->threads[workers->thread_count], NULL, work, workers) == 0)
        workers->thread_count++;
    return workers;
}

void replay_workers_expect(struct replay_workers *workers, uint32_t location)
{
    pthread_mutex_lock(&workers->mutex);
    if (workers->thread_count)
        line_up(workers, &workers->lanes[location], READ);
    pthread_mutex_unlock(&workers->mutex);
}

struct replay_block *replay_workers_next(struct replay_workers *workers, uint32_t location)
{
    struct lane *lane = &workers->lanes[location];
    pthread_mutex_lock(&workers->mutex);
    while (lane->under_way[READ]) /* what follows is needed next */
        if (!finish_one(workers) && !read_one(workers))
            pthread_cond_wait(&workers->done, &workers->mutex);
    leave_line(workers, lane, READ); /* what follows this block is needed later than what is in the line */
    struct replay_block *block = lane->ahead;
    if (block) {
        lane->ahead = NULL;
        workers->ahead--;
        if (workers->lines[READ].first) /* there is room for it now */
            pthread_cond_signal(&workers->work);
    } else if ((block = replay_block_take(&workers->pool, location))) {
        read_block(workers, lane, block);
    }
    if (block && !lane->ended && workers->thread_count)
        line_up(workers, lane, READ);
    pthread_mutex_unlock(&workers->mutex);
    return block;
}

void replay_workers_put(struct replay_workers *workers, struct replay_block *block)
{
    struct lane *lane = &workers->lanes[block->location];
    block->next = NULL;
    pthread_mutex_lock(&workers->mutex);
    if (lane->first)
        lane->last->next = block;
    else
        lane->first = block;
    lane->last = block;
    workers->waiting++;
    if (!lane->under_way[FINISH])
        line_up(workers, lane, FINISH);
    finish_down_to(workers, workers->thread_count ? WAITING_MAX : 0);
    pthread_mutex_unlock(&workers->mutex);
}

void replay_workers_drop(struct replay_workers *workers, struct replay_block *block)
{
    pthread_mutex_lock(&workers->mutex);
    replay_block_give_back(&workers->pool, block);
    pthread_mutex_unlock(&workers->mutex);
}

void replay_workers_end(struct replay_workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->mutex);
    workers->ending = true;
    pthread_cond_broadcast(&workers->work);
    finish_down_to(workers, 0);
    pthread_mutex_unlock(&workers->mutex);
    for (unsigned i = 0; i < workers->thread_count; i++)
        pthread_join(workers->threads[i], NULL);
    for (uint32_t i = 0; i < workers->location_count; i++)
        replay_block_give_back(&workers->pool, workers->lanes[i].ahead);
    replay_block_pool_free(&workers->pool);
    pthread_cond_destroy(&workers->work);
    pthread_cond_destroy(&workers->done);
    pthread_mutex_destroy(&workers->mutex);
    free(workers->threads);
    free(workers);
}
