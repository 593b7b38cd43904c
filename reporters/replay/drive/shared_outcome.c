#include "reporters/replay/drive/shared_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shared_part {
    struct shared_part *next;
    struct replay_result result;
    struct replay_violation violations[REPLAY_VIOLATIONS_KEPT];
    char rules[REPLAY_VIOLATIONS_KEPT][160]; /* of the violations */
    uint32_t violation_count;
    struct behaviour composition[BEHAVIOURS];
    bool has_messages;
};

static bool is_earlier(const struct replay_violation *a, const struct replay_violation *b)
{
    return a->measured[0] != b->measured[0] ? a->measured[0] < b->measured[0] : a->location[0] < b->location[0];
}

/* Into its place by time; those for which there is no room are the last ones. */
static void keep(struct replay_outcome *outcome, const struct replay_violation *violation)
{
    uint32_t at = outcome->violation_count;
    while (at > 0 && is_earlier(violation, &outcome->violations[at - 1]))
        at--;
    if (at == REPLAY_VIOLATIONS_KEPT)
        return;
    if (outcome->violation_count < REPLAY_VIOLATIONS_KEPT)
        outcome->violation_count++;
    memmove(&outcome->violations[at + 1], &outcome->violations[at],
            (outcome->violation_count - at - 1) * sizeof *violation);
    outcome->violations[at] = *violation;
}

static void add(void *context, int rank, const void *theirs, size_t size)
{
    struct replay_outcome *outcome = context;
    struct replay_result *sum = &outcome->result;
    struct shared_part *part = size == sizeof *part ? malloc(sizeof *part) : NULL;
    (void)rank;
    if (!part) {
        outcome->end = REPLAY_NO_MEMORY;
        return;
    }
    memcpy(part, theirs, sizeof *part);
    part->next = outcome->parts;
    outcome->parts = part;
    outcome->has_messages |= part->has_messages;
    composition_merge(outcome->composition, part->composition);
    sum->violations += part->result.violations;
    sum->suppressed += part->result.suppressed;
    sum->counted += part->result.counted;
    sum->bytes_max = part->result.bytes_max > sum->bytes_max ? part->result.bytes_max : sum->bytes_max;
    for (int k = 0; k < REPLAY_WAIT_KINDS; k++) {
        sum->waiting_measured[k] += part->result.waiting_measured[k];
        sum->waiting_approximated[k] += part->result.waiting_approximated[k];
    }
    for (int k = 0; k < PCOMP_EXTERNAL_KINDS; k++)
        sum->external_calls[k] += part->result.external_calls[k];
    for (uint32_t i = 0; i < part->violation_count; i++) {
        part->violations[i].rule = part->rules[i];
        keep(outcome, &part->violations[i]);
    }
}

bool outcome_share(struct replay_outcome *outcome, struct replay_peers *peers)
{
    struct shared_part mine = {
        .result = outcome->result, .violation_count = outcome->violation_count, .has_messages = outcome->has_messages};
    memcpy(mine.composition, outcome->composition, sizeof mine.composition);
    for (uint32_t i = 0; i < mine.violation_count; i++) {
        mine.violations[i] = outcome->violations[i];
        snprintf(mine.rules[i], sizeof mine.rules[i], "%s", outcome->violations[i].rule);
    }
    if (replay_peers_exchange(peers, &mine, sizeof mine, add, outcome))
        return outcome->end == REPLAY_DONE;
    outcome->elsewhere = true;
    return false;
}

void outcome_unshare(struct replay_outcome *outcome)
{
    while (outcome->parts) {
        struct shared_part *part = outcome->parts;
        outcome->parts = part->next;
        free(part);
    }
}
