/* What went wrong in a replay, in words. */
#include "reporters/base/message.h"
#include "reporters/replay/replay_job.h"
#include "reporters/trace/event_places.h"

#include <stdio.h>

static uint64_t first_tick(const struct replay_job *job, const struct replay_outcome *outcome)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < job->traces.count; i++)
        if (outcome->locations[i].events && outcome->locations[i].first < first)
            first = outcome->locations[i].first;
    return first == UINT64_MAX ? 0 : first;
}

uint64_t replay_job_begin(const struct replay_job *job)
{
    return first_tick(job, replay_job_value(job));
}

/* --- What went wrong ------------------------------------------------------------------------------------------------
 */

/* Describes one or two events; the second may be none. */
static void describe(struct replay_job *job, uint64_t since, struct event_place places[2], const char *between,
                     char *buffer, size_t size)
{
    char text[512];
    event_places_find(&job->traces, job->functions, places, 2);
    trace_functions_resolve(job->functions, NULL, NULL);
    event_place_text(&job->traces, job->functions, &places[0], since, text, sizeof text);
    size_t used = (size_t)snprintf(buffer, size, "%s", text);
    if (places[1].location < job->traces.count && used < size) {
        event_place_text(&job->traces, job->functions, &places[1], since, text, sizeof text);
        snprintf(buffer + used, size - used, "%s%s", between, text);
    }
}

void replay_job_violation(struct replay_job *job, const struct replay_violation *violation, char *buffer, size_t size)
{
    struct event_place places[2] = {{.location = violation->location[0], .event = violation->event[0]},
                                    {.location = violation->location[1], .event = violation->event[1]}};
    size_t used = (size_t)snprintf(buffer, size, "%s: ", violation->rule);
    if (used < size)
        describe(job, replay_job_begin(job), places, " against ", buffer + used, size - used);
}

bool replay_job_lacks_cause(const struct replay_job *job, const struct replay_outcome *outcome)
{
    return outcome->missing.rule && !job->options.partial && !outcome->result.lost;
}

int replay_job_failure(struct replay_job *job, const struct replay_outcome *outcome)
{
    const struct replay_result *r = &outcome->result;
    char text[1200];
    const char *advice = job->salvage ? "" : " (--salvage replays what comes before)";
    if (outcome->elsewhere)
        return STATUS_BAD;
    if (outcome->interrupted)
        return message_failure("replay: interrupted (nothing was written)");
    if (*outcome->error)
        return message_failure("%s%s", outcome->error, outcome->read_location != UINT32_MAX ? advice : "");
    if (outcome->end == REPLAY_BAD_INPUT && r->error_location < job->traces.count) {
        struct event_place places[2] = {{.location = r->error_location, .event = r->error_event},
                                        {.location = r->error_other, .event = r->error_other_event}};
        describe(job, first_tick(job, outcome), places, " and ", text, sizeof text);
        return message_failure("%s: %s: %s%s", job->dir, text, r->error, advice);
    }
    if (outcome->end == REPLAY_BAD_INPUT)
        return message_failure("%s: %s%s", job->dir, r->error, advice);
    if (replay_job_lacks_cause(job, outcome)) {
        struct event_place places[2] = {{.location = outcome->missing.location[0], .event = outcome->missing.event[0]},
                                        {.location = UINT32_MAX}};
        describe(job, first_tick(job, outcome), places, "", text, sizeof text);
        return message_failure("%s: %s: what it waits for is in no trace, or waits for it: %s%s", job->dir, text,
                               outcome->missing.rule, advice);
    }
    if (outcome->end == REPLAY_STOPPED && outcome->violation_count) {
        struct replay_violation first = outcome->violations[0];
        replay_job_violation(job, &first, text, sizeof text);
        return message_failure("%s: %s (--on-violation log adjusts and goes on)", job->dir, text);
    }
    return message_no_memory("replay");
}
