#include "reporters/calibrate/processor_pairs.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

struct place {
    int socket, core;
};

static bool read_number(const char *topology, int processor, const char *name, int *number)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", topology, processor, name);
    FILE *file = fopen(path, "re");
    bool good = file && fscanf(file, "%d", number) == 1;
    if (file)
        fclose(file);
    return good;
}

static uint32_t pair_of(struct place a, struct place b)
{
    return a.socket != b.socket ? PAIR_NODE : a.core != b.core ? PAIR_SOCKET : PAIR_CORE;
}

uint32_t processor_pairs(const char *topology)
{
    struct place places[CPU_SETSIZE];
    cpu_set_t usable;
    uint32_t count = 0, pairs = 0;
    if (sched_getaffinity(0, sizeof usable, &usable))
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        struct place p;
        if (!CPU_ISSET((size_t)i, &usable) || !read_number(topology, i, "physical_package_id", &p.socket) ||
            !read_number(topology, i, "core_id", &p.core))
            continue;
        for (uint32_t k = 0; k < count; k++)
            pairs |= 1u << pair_of(places[k], p);
        places[count++] = p;
    }
    return pairs;
}

const char *processor_pair_only(uint32_t pairs)
{
    static const char *const words[PAIR_KINDS] = {"on one core", "on two cores of a socket", "on two sockets"};
    for (int i = 0; i < PAIR_KINDS; i++)
        if (pairs == 1u << i)
            return words[i];
    return NULL;
}
