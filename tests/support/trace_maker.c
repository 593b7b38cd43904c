#include "tests/support/trace_maker.h"

#include "reporters/base/scratch_dir.h"
#include "reporters/trace/files/trace_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

char *trace_maker_directory(void)
{
    char path[4200], *dir = scratch_dir_make();
    need(dir, "a directory");
    snprintf(path, sizeof path, "%s/run", dir);
    FILE *run = fopen(path, "w");
    need(run && fputs("pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n", run) >= 0 && fclose(run) == 0, path);
    return dir;
}

void trace_maker_remove(char *dir)
{
    scratch_dir_remove(dir);
}

struct pcomp_trace_header trace_maker_header(int pid, unsigned location, int rank, int world)
{
    struct pcomp_trace_header h = {.flags = PCOMP_TRACE_CLOSED | (location ? 0 : PCOMP_TRACE_MAIN),
                                   .location = location,
                                   .pid = pid,
                                   .tid = pid + (int)location,
                                   .rank = rank,
                                   .world = world,
                                   .tick_hz = 1e9,
                                   .tick1 = 1000000000,
                                   .mono1_ns = 1000000000};
    memcpy(h.run_id, "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef", sizeof h.run_id);
    for (int i = 0; i < PCOMP_EVENT_KINDS; i++)
        h.alpha[i] = 10 * 1024;
    return h;
}

void trace_maker_write_in_parts(const char *dir, unsigned image, const struct pcomp_trace_header *header,
                                const void *records, size_t size, size_t part)
{
    struct trace_writer writer;
    char path[4300], error[512];
    struct pcomp_trace_segment *segment = malloc(trace_segment_size(part));
    need(segment, "memory");
    snprintf(path, sizeof path, "%s/%d-%u.%u.trace", dir, header->pid, image, header->location);
    need(trace_writer_open(&writer, path, header, error, sizeof error), path);
    uint64_t number = 0;
    for (size_t at = 0, n; at < size; at += n) {
        uint64_t first = number;
        for (n = 0; at + n < size; number++) {
            uint32_t record = pcomp_event_size((const struct pcomp_event *)((const char *)records + at + n));
            if (n + record > part)
                break;
            n += record;
        }
        memcpy(segment + 1, (const char *)records + at, n);
        need(trace_writer_segment(&writer, segment, n, first), path);
    }
    need(trace_writer_close(&writer), path);
    free(segment);
}

void trace_maker_write(const char *dir, unsigned image, const struct pcomp_trace_header *header, const void *records,
                       size_t size)
{
    trace_maker_write_in_parts(dir, image, header, records, size, size);
}
