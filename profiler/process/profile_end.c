#include "profiler/process/profile_end.h"

#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/store.h"
#include "profiler/format/names.h"
#include "profiler/process/run_directory.h"

#include <stdio.h>

uint64_t profile_calls_counted(void)
{
    uint64_t sum = 0;
    for (uint64_t at = sizeof(*run_header); at < run_header->used;) {
        const struct pcomp_chunk *c = (const struct pcomp_chunk *)((const char *)run_header + at);
        const struct pcomp_node *nodes = (const struct pcomp_node *)(c + 1);
        const uint64_t *counters = (const uint64_t *)(c + 1);
        for (uint32_t i = 0; !config.counts && c->kind == PCOMP_CHUNK_NODES && i < c->count; i++)
            sum += nodes[i].calls;
        for (uint32_t i = PCOMP_FUNCTION_FIRST; config.counts && c->kind == PCOMP_CHUNK_COUNTS && i < c->count; i++)
            sum += counters[i];
        at += c->size;
    }
    return sum;
}

void profile_say_what_stopped(uint64_t counted)
{
    char text[300];
    const char *what = config.trace ? "events recorded" : "calls counted";
    static const struct pcomp_stopped_reason reasons[] = PCOMP_STOPPED_REASONS;
    const char *why = NULL;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && !why; i++)
        if (run_header->stopped & reasons[i].bit & ~(unsigned)(PCOMP_STOPPED_DEPTH | PCOMP_STOPPED_LOCKED_IN))
            why = reasons[i].why;
    if (!why)
        return;
    snprintf(text, sizeof(text), "measurement stopped: %s; %llu %s, %llu not", why, (unsigned long long)counted, what,
             (unsigned long long)run_header->lost_calls);
    run_say(text, NULL, NULL);
}

void profile_move(void)
{
    enum run_directory_end directory = run_directory_check(run_header->run_id);
    bool moved = store_close(directory == RUN_DIRECTORY_GONE);
    if (directory == RUN_DIRECTORY_GONE)
        run_say(config.data, "was deleted while the program ran, and what was measured is lost", NULL);
    else if (!moved)
        run_say(config.data, "the profile could not be moved there at exit; it lies in memory",
                "the next pcomp command will fetch it");
    else if (directory == RUN_DIRECTORY_MADE_AGAIN)
        run_say(config.data, "was deleted while the program ran, and was made again for the profile", NULL);
}
