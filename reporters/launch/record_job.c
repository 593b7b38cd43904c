/* A launcher tells each process its rank in the environment. The first of this process's ancestors that was not told is
 * the launcher's process on this machine: what identifies it identifies the job. */
#include "reporters/launch/record_job.h"

#include "compensation/numeric/hash.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char *const rank_names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK"};
enum { RANK_NAMES = sizeof rank_names / sizeof *rank_names };

/* Parent and time of start of a process, fields 4 and 22 of its stat. False: there is no such process. */
static bool process_stat(pid_t pid, pid_t *parent, unsigned long long *start)
{
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[got] = 0;
    const char *at = strrchr(text, ')'); /* the name before it may contain anything */
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at + 1, ' ');
        if (at && field + 1 == 4)
            *parent = (pid_t)strtol(at, NULL, 10);
    }
    if (at)
        *start = strtoull(at, NULL, 10);
    return at != NULL;
}

/* Whether the process was started with a rank. */
static bool process_has_rank(pid_t pid)
{
    char path[64], *line = NULL;
    size_t room = 0;
    bool has = false;
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    FILE *file = fopen(path, "re");
    while (file && !has && getdelim(&line, &room, 0, file) > 0)
        for (int i = 0; i < RANK_NAMES; i++)
            has = has || (!strncmp(line, rank_names[i], strlen(rank_names[i])) && line[strlen(rank_names[i])] == '=');
    free(line);
    if (file)
        fclose(file);
    return has;
}

bool record_job_find(unsigned char id[16], int *rank)
{
    const char *text = NULL;
    for (int i = 0; i < RANK_NAMES && !text; i++)
        text = getenv(rank_names[i]);
    if (!text)
        return false;
    pid_t pid = getpid(), parent = getppid();
    unsigned long long start = 0;
    while (pid > 1 && process_has_rank(pid) && process_stat(pid, &parent, &start))
        pid = parent;
    process_stat(pid, &parent, &start);
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && !fgets(boot, sizeof boot, file))
        boot[0] = 0;
    if (file)
        fclose(file);
    uint64_t low = pcomp_hash_bytes(pcomp_hash_text(PCOMP_HASH_START, boot), &pid, sizeof pid);
    uint64_t high = pcomp_hash_bytes(low, &start, sizeof start);
    memcpy(id, &low, sizeof low);
    memcpy(id + sizeof low, &high, sizeof high);
    *rank = atoi(text);
    return true;
}
