/* Committing: each function gives the event at hand its approximated time, once, and returns REPLAY_COMMITTED or
 * REPLAY_FAILED; and suspending a location whose cause has not been seen. */
#ifndef PCOMP_EVENT_COMMIT_H
#define PCOMP_EVENT_COMMIT_H

#include "compensation/replay/engine/replay_state.h"

/* By its own time alone. */
enum replay_step replay_commit(struct replay *r, struct location_state *p);

/* At a time that the rule knows. `path`: that to it; `written`: the time written is not less. */
enum replay_step replay_commit_at(struct replay *r, struct location_state *p, int64_t approximated,
                                  const struct replay_path *path, uint64_t written);

/* Before it, for options->graph: the event waited for `cause` from the approximated time `ready` on, and came `delay`
 * after it (CORE_WAIT); or found it there, and comes no earlier than that (CORE_PASS; core_graph.h). All fixed. */
void replay_depends(struct replay *r, const struct location_state *p, enum core_kind kind,
                    const struct replay_stamp *cause, int64_t ready, int64_t delay);

/* The event ended a wait for `cause`: it comes as long after the later of "ready" (the event before it) and "cause" as
 * it did in the measured execution, and not before the cause:
 *   t_a(e) = max(t_a(ready), t_a(cause)) + t_m(e) - max(t_m(ready) + alpha, t_m(cause) + alpha).
 * A wait between threads that appears or vanishes has the delay of its kind (wake_delay.h).
 * Reports the waiting. A cause that was measured after its effect is a violation of `rule`. */
enum replay_step replay_commit_waited(struct replay *r, struct location_state *p, const struct replay_stamp *cause,
                                      enum replay_wait_kind kind, const char *rule);

/* The approximated time, fixed, that replay_commit_waited() would give the event. */
int64_t replay_waited_time(const struct location_state *p, const struct replay_stamp *cause);

/* The event found what it needs already there, so its measured time tells nothing of the cause:
 *   t_a(e) = max(own time, t_a(cause)),
 * and where waits of the kind are known to take a wake-up delay, that much after the cause. */
enum replay_step replay_commit_passed(struct replay *r, struct location_state *p, const struct replay_stamp *cause,
                                      enum replay_wait_kind kind, const char *rule);

/* The event ends an operation that did not have to wait as measured: after the event before it, at which its cause was
 * there, or came (`waits`, replay_commit_passed). Not for REPLAY_NO_WAIT and waits for messages. */
enum replay_step replay_commit_passing(struct replay *r, struct location_state *p, enum replay_wait_kind kind,
                                       bool waits);

/* The event ended a wait for what is not recorded, which began at the event before it: by its own time, and reported.
 */
enum replay_step replay_commit_external(struct replay *r, struct location_state *p, enum pcomp_external what);

/* So much time (fixed) at the event at hand is such a wait; *path is to have it. How long a sleep lasts is known. */
void replay_report_external(struct replay *r, const struct location_state *p, enum pcomp_external what, int64_t time,
                            struct replay_path *path);

/* The committed event as a cause of others: call it after replay_commit*. */
struct replay_stamp replay_stamp_here(const struct location_state *p);

/* *into becomes the later of both, in each execution. */
void replay_stamp_merge(struct replay *r, struct replay_stamp *into, const struct replay_stamp *other);

/* When the location was ready to wait, if the event at hand ended a wait for `cause`: the event before it; REPLAY_NEVER
 * when there is none. *measured: fixed, the event at hand, less a flush between the end of the wait and it. */
struct replay_stamp replay_ready(const struct location_state *p, const struct replay_stamp *cause, int64_t *measured);

/* The path to the event at hand if its own location determines its time. */
struct replay_path replay_own_path(const struct location_state *p);

/* --- reporting; call it before or after committing -------------------------------------------------------------------
 */

/* The event at hand ended a wait. Both times fixed; negative ones count as 0, two zeroes are no wait. */
void replay_report_wait(struct replay *r, const struct location_state *p, enum replay_wait_kind kind,
                        const struct replay_stamp *cause, int64_t measured, int64_t approximated);

/* False: the replay is to stop; return REPLAY_FAILED. `other` may be NULL, or nothing. */
bool replay_violated(struct replay *r, const char *rule, const struct replay_stamp *effect,
                     const struct replay_stamp *other);

/* False after a violation of `rule` at which the replay is to stop: the cause of the event at hand, which has got the
 * time `approximated`, was measured after it. */
bool replay_follows(struct replay *r, const struct location_state *p, const struct replay_stamp *cause,
                    int64_t approximated, const char *rule);

/* The event does not fit what the location did before: bad input; where records were lost, it is committed by its own
 * time. */
enum replay_step replay_unexpected(struct replay *r, struct location_state *p, const char *error);

enum replay_step replay_bad_input(struct replay *r, const struct location_state *p, const char *error);
enum replay_step replay_no_memory(struct replay *r);

/* --- suspending
 * -------------------------------------------------------------------------------------------------------
 */

enum replay_step replay_suspend(struct replay *r, struct location_state *p, struct replay_waiters *list,
                                const char *rule);
void replay_wake(struct replay *r, struct replay_waiters *list);

#endif
