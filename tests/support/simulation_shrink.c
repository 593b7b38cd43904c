/* Makes a failing program small, and prints it. */
#include "tests/support/simulation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct simulation_program copy_of(const struct simulation_program *program)
{
    struct simulation_program copy = *program;

    copy.locations = calloc(program->count, sizeof *copy.locations);
    if (!copy.locations)
        abort();
    for (uint32_t i = 0; i < program->count; i++) {
        copy.locations[i] = program->locations[i];
        copy.locations[i].ops = NULL;
        copy.locations[i].count = copy.locations[i].capacity = 0;
    }
    return copy;
}

/* Whether the operation stands alone when its partners are gone. */
static bool is_for_many(const struct simulation_op *op)
{
    return op->kind == SIMULATION_BARRIER || op->kind == SIMULATION_BARRIER_LADDER || op->kind == SIMULATION_COLLECTIVE;
}

/* A copy without the groups that are marked, and without locations first..end-1 and what these share with others. */
static struct simulation_program without(const struct simulation_program *program, const bool *groups, uint32_t first,
                                         uint32_t end)
{
    struct simulation_program copy = copy_of(program);
    bool *gone = malloc(program->groups * sizeof *gone);

    if (!gone)
        abort();
    memcpy(gone, groups, program->groups * sizeof *gone);
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t k = 0; k < program->locations[i].count; k++) {
            const struct simulation_op *op = &program->locations[i].ops[k];

            gone[op->group] = gone[op->group] || !is_for_many(op);
        }
    }
    for (uint32_t i = 0; i < program->count; i++) {
        bool stays = i < first || i >= end;

        for (uint32_t k = 0; k < program->locations[i].count && stays; k++) {
            if (!gone[program->locations[i].ops[k].group])
                simulation_add(&copy, i, program->locations[i].ops[k]);
        }
    }
    free(gone);
    return copy;
}

static size_t operations(const struct simulation_program *program)
{
    size_t count = 0;

    for (uint32_t i = 0; i < program->count; i++)
        count += program->locations[i].count;
    return count;
}

/* Puts the candidate in the place of the program if it is smaller and fails, too. */
static void try_instead(struct simulation_program *program, struct simulation_program candidate,
                        simulation_fails *fails, void *context)
{
    if (operations(&candidate) == operations(program) || !fails(&candidate, context)) {
        simulation_program_free(&candidate);
        return;
    }
    simulation_program_free(program);
    *program = candidate;
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void simulation_shrink(struct simulation_program *program, simulation_fails *fails, void *context)
{
    bool *marked = calloc(program->groups, sizeof *marked);
    size_t before;

    if (!marked)
        abort();
    do {
        before = operations(program);
        for (uint32_t width = program->count; width > 0; width /= 2) {
            for (uint32_t from = 0; from < program->count; from += width)
                try_instead(program, without(program, marked, from, min(from + width, program->count)), fails, context);
        }
        for (uint32_t width = program->groups; width > 0; width /= 2) {
            for (uint32_t from = 0; from < program->groups; from += width) {
                uint32_t end = min(from + width, program->groups);

                memset(marked + from, true, (end - from) * sizeof *marked);
                try_instead(program, without(program, marked, 0, 0), fails, context);
                memset(marked + from, false, (end - from) * sizeof *marked);
            }
        }
    } while (operations(program) < before);
    free(marked);
}

static const char *const op_names[] = {"compute", "call",  "return",    "flush",   "barrier",   "ladder", "sem-init",
                                       "v",       "p",     "lock",      "shared",  "unlock",    "put",    "take",
                                       "advance", "await", "create",    "join",    "send",      "isend",  "recv",
                                       "irecv",   "wait",  "wait-last", "waitall", "collective"};

void simulation_print(const struct simulation_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct simulation_script *script = &program->locations[i];

        if (script->count == 0)
            continue;
        fprintf(stderr, "location %" PRIu32 "%s\n", i, script->created ? " (created)" : "");
        for (uint32_t k = 0; k < script->count; k++) {
            const struct simulation_op *op = &script->ops[k];

            fprintf(stderr,
                    "  %" PRIu32 ": %s object %" PRIu32 " amount %" PRIu64 " delay %" PRIu32 " peer %" PRId32
                    " tag %" PRId32 " mode %#x group %" PRIu32 "\n",
                    k, op_names[op->kind], op->object, op->amount, op->delay, (int32_t)op->peer, (int32_t)op->tag,
                    op->mode, op->group);
        }
    }
}
