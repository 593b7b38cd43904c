/* Collectives: 2005 §3.3, 1993 §3.2. The n-th collective on a communicator is the same one in all its locations. Its
 * dependences:
 *
 *   n-to-n, barrier   all locations wait for the last enter: eq. (13)
 *   1-to-n            each waits for the root, as for a message from it; the root waits for none
 *   n-to-1            the root waits for the last enter; the others wait for none
 *   prefix            each waits for the last enter of the ranks up to its own
 *
 * Eq. (13) takes the last enter in measured order for the measured term, and in approximated order for the basis, less
 * the alpha of the enter. Where the order of exits is known, exit_order.h has the rule. */
#include "compensation/replay/rules/collectives.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"
#include "compensation/replay/rules/exit_order.h"
#include "compensation/replay/rules/message_time.h"

struct enter { /* or an exit */
    struct enter *next;
    struct replay_stamp stamp;
    int32_t rank;
};

struct instance {
    struct instance *next;
    uint64_t number;
    uint32_t arrived, left, participants;
    struct replay_stamp last, root;
    struct enter *enters, *exits; /* of a prefix */
    struct exit_order order;
    struct replay_waiters waiting;
};

struct communicator {
    struct instance *first, *end; /* in use */
    uint64_t begun;
    struct member *members; /* that have been seen */
};

struct member { /* what a location has done on a communicator */
    struct communicator *communicator;
    struct member *next;
    int32_t rank;
    uint64_t entered, left;
};

static const char all_rule[] = "nobody leaves before the last has entered (2005 §3.3, eq. 13)";
static const char root_rule[] = "nobody leaves before the root has entered (2005 §3.3)";
static const char gather_rule[] = "the root does not leave before the last has entered (1993 §3.2)";
static const char prefix_rule[] = "nobody leaves before the ranks up to its own have entered (1993 §3.2)";

static uint32_t participants(const struct location_state *p)
{
    return (uint32_t)(replay_b(p) >> 16);
}

static bool is_root(const struct location_state *p)
{
    return p->rank == (int32_t)(uint32_t)replay_a(p);
}

static struct member *member_of(struct replay *r, const struct location_state *p)
{
    uint64_t communicator = replay_a(p) >> 32, location = 1ull << 63 | p->index; /* no process has this number */
    struct replay_map *map = &r->objects[REPLAY_COLLECTIVES];
    struct member *member = replay_map_get(map, location, communicator);

    if (member)
        return member;
    member = replay_allocate(&r->memory, sizeof *member);
    if (!member)
        return NULL;
    member->communicator =
        replay_object(r, REPLAY_COLLECTIVES, p, PCOMP_EVENT_SHARED | communicator, sizeof *member->communicator);
    if (!member->communicator || !replay_map_put(&r->memory, map, location, communicator, member))
        return NULL;
    member->rank = p->rank;
    member->next = member->communicator->members;
    member->communicator->members = member;
    return member;
}

/* The n-th collective of the communicator; begun when it is the next. NULL: it is over, or there is no memory. */
static struct instance *instance_at(struct replay *r, struct communicator *communicator, const struct location_state *p,
                                    uint64_t number)
{
    struct instance *instance = communicator->first;

    while (instance && instance->number != number)
        instance = instance->next;
    if (instance || number != communicator->begun)
        return instance;
    instance = replay_allocate(&r->memory, sizeof *instance);
    if (!instance)
        return NULL;
    instance->number = communicator->begun++;
    instance->participants = participants(p);
    if (communicator->first)
        communicator->end->next = instance;
    else
        communicator->first = instance;
    communicator->end = instance;
    return instance;
}

static void release_enters(struct replay *r, struct enter *enter)
{
    while (enter) {
        struct enter *next = enter->next;

        replay_release(&r->memory, enter);
        enter = next;
    }
}

static bool note(struct replay *r, struct enter **list, const struct location_state *p)
{
    struct enter *enter = replay_allocate(&r->memory, sizeof *enter);

    if (enter)
        *enter = (struct enter){*list, replay_stamp_here(p), p->rank};
    *list = enter ? enter : *list;
    return enter;
}

/* Everybody leaves one collective before the next, so the first that was begun is over first. */
static void leave(struct replay *r, struct communicator *communicator, struct instance *instance)
{
    instance->left++;
    while (communicator->first && communicator->first->left >= communicator->first->participants) {
        struct instance *over = communicator->first;

        communicator->first = over->next;
        replay_wake(r, &over->waiting); /* ranks that do not agree how many they are */
        release_enters(r, over->enters);
        release_enters(r, over->exits);
        replay_release(&r->memory, over->order.arrivals);
        replay_release(&r->memory, over);
    }
}

/* Someone who was to wait for this enter has left already, which was not known then. False: the replay is to stop. */
static bool prefix_entered_in_time(struct replay *r, const struct location_state *p, const struct instance *instance,
                                   const struct replay_stamp *here)
{
    for (const struct enter *exit = instance->exits; exit; exit = exit->next) {
        if (exit->rank > p->rank && !replay_violated(r, prefix_rule, &exit->stamp, here))
            return false;
    }
    return true;
}

static enum replay_step enters_prefix(struct replay *r, struct location_state *p, struct instance *instance)
{
    struct replay_stamp here = replay_stamp_here(p);

    if (!note(r, &instance->enters, p))
        return replay_no_memory(r);
    replay_wake(r, &instance->waiting);
    return prefix_entered_in_time(r, p, instance, &here) ? REPLAY_COMMITTED : REPLAY_FAILED;
}

static enum replay_step enters(struct replay *r, struct location_state *p, struct member *member)
{
    bool over = member->entered < member->communicator->begun;
    struct instance *instance = instance_at(r, member->communicator, p, member->entered);

    if (!instance)
        return over ? replay_unexpected(r, p, "a collective is entered that all others have left")
                    : replay_no_memory(r);
    uint64_t who = replay_b(p) & 0xff;
    bool root = is_root(p);
    replay_commit(r, p);
    struct replay_stamp stamp = replay_stamp_here(p);
    member->entered++;
    instance->arrived++;
    replay_stamp_merge(r, &instance->last, &stamp);
    if (root)
        instance->root = stamp;
    if (who == PCOMP_COLLECTIVE_PREFIX)
        return enters_prefix(r, p, instance);
    if (exit_order_is_used(r) && !exit_order_enter(r, &instance->order, p))
        return replay_no_memory(r);
    if (root || instance->arrived == instance->participants)
        replay_wake(r, &instance->waiting);
    return REPLAY_COMMITTED;
}

/* 1-to-n: the root's sending cannot be published from the rest, so only a receiver that came first knows how long the
 * communication took. */
static enum replay_step leave_root(struct replay *r, struct location_state *p, const struct instance *instance)
{
    struct replay_stamp own;
    int64_t now, since;

    const struct comm_model *model = message_model(r->options, &r->locations[instance->root.location], p);

    own = replay_ready(p, &instance->root, &now);
    since = message_since(p, &instance->root);
    struct message_transfer transfer = {.sent = instance->root,
                                        .posted = own,
                                        .time = message_time(model, r->options->comm, replay_value(p), since,
                                                             own.measured <= instance->root.measured, NULL),
                                        .copy = message_copy_time(model, replay_value(p), message_since(p, &own)),
                                        .kind = REPLAY_WAIT_1_TO_N,
                                        .rule = root_rule};
    return message_commit(r, p, &transfer);
}

/* Whether a rank up to that of the location has not entered. Those of MPI_COMM_WORLD are known, of another communicator
 * those that have been seen; while a location is deferred, it can be anyone. */
static bool prefix_is_missing(const struct replay *r, const struct location_state *p, const struct member *own,
                              const struct instance *instance)
{
    uint32_t entered = 0, before = 0;
    bool world = !(replay_a(p) >> 32) && (uint32_t)p->rank < instance->participants;

    for (const struct enter *enter = instance->enters; enter; enter = enter->next)
        entered += enter->rank <= p->rank;
    for (const struct member *member = own->communicator->members; member && !world; member = member->next)
        before += member->rank <= p->rank;
    if (world)
        before = (uint32_t)p->rank + 1;
    return entered < before || (!world && r->deferred && instance->arrived < instance->participants && !p->forced);
}

static enum replay_step leave_prefix(struct replay *r, struct location_state *p, const struct member *member,
                                     struct instance *instance)
{
    struct replay_stamp last = {0};
    enum replay_step step;

    if (prefix_is_missing(r, p, member, instance))
        return replay_suspend(r, p, &instance->waiting, prefix_rule);
    for (const struct enter *enter = instance->enters; enter; enter = enter->next) {
        if (enter->rank <= p->rank)
            replay_stamp_merge(r, &last, &enter->stamp);
    }
    step = replay_commit_waited(r, p, &last, REPLAY_WAIT_N_TO_1, prefix_rule);
    if (step == REPLAY_COMMITTED && instance->arrived < instance->participants && !note(r, &instance->exits, p))
        return replay_no_memory(r);
    return step;
}

/* The root of a gathering, for all that send to it. */
static enum replay_step leave_gathered(struct replay *r, struct location_state *p, struct instance *instance)
{
    if (instance->arrived < instance->participants)
        return replay_suspend(r, p, &instance->waiting, gather_rule);
    return replay_commit_waited(r, p, &instance->last, REPLAY_WAIT_N_TO_1, gather_rule);
}

static enum replay_step leave_all(struct replay *r, struct location_state *p, struct instance *instance,
                                  enum replay_wait_kind kind)
{
    if (instance->arrived < instance->participants)
        return replay_suspend(r, p, &instance->waiting, all_rule);
    if (exit_order_is_used(r))
        return exit_order_leave(r, &instance->order, p, &instance->last, kind, all_rule);
    return replay_commit_waited(r, p, &instance->last, kind, all_rule);
}

static enum replay_step leaves(struct replay *r, struct location_state *p, const struct member *member,
                               struct instance *instance)
{
    switch (replay_b(p) & 0xff) {
    case PCOMP_COLLECTIVE_1_TO_N:
        if (is_root(p))
            return replay_commit(r, p);
        return instance->root.happened ? leave_root(r, p, instance)
                                       : replay_suspend(r, p, &instance->waiting, root_rule);
    case PCOMP_COLLECTIVE_N_TO_1:
        return is_root(p) ? leave_gathered(r, p, instance) : replay_commit(r, p);
    case PCOMP_COLLECTIVE_PREFIX:
        return leave_prefix(r, p, member, instance);
    case PCOMP_COLLECTIVE_BARRIER:
        return leave_all(r, p, instance, REPLAY_WAIT_BARRIER);
    default:
        return leave_all(r, p, instance, REPLAY_WAIT_N_TO_N);
    }
}

enum replay_step collective_rule(struct replay *r, struct location_state *p)
{
    struct member *member = member_of(r, p);
    struct instance *instance;
    enum replay_step step;

    if (!member)
        return replay_no_memory(r);
    if (p->kind == PCOMP_EVENT_COLLECTIVE_ENTER)
        return enters(r, p, member);
    if (member->left == member->entered)
        return replay_unexpected(r, p, "a collective is left that was not entered");
    instance = instance_at(r, member->communicator, p, member->left);
    step = instance ? leaves(r, p, member, instance) : replay_commit(r, p);
    if (step != REPLAY_COMMITTED)
        return step;
    member->left++;
    if (instance)
        leave(r, member->communicator, instance);
    return REPLAY_COMMITTED;
}
