/* Which pairs of processors there are, by the kernel's files, written here for the processors that may be used. */
#include "reporters/calibrate/processor_pairs.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pcomp-pairs.XXXXXX";

static void write_number(int processor, const char *name, int number)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", folder, processor, name);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "%d\n", number);
    fclose(file);
}

/* Of the n-th usable processor: its socket is n / per_socket, its core n / per_core. Returns how many there are. */
static int write_topology(int per_socket, int per_core)
{
    cpu_set_t usable;
    int n = 0;
    cr_assert(mkdtemp(folder));
    cr_assert(!sched_getaffinity(0, sizeof usable, &usable));
    for (int i = 0; i < CPU_SETSIZE; i++) {
        char path[256];
        if (!CPU_ISSET((size_t)i, &usable))
            continue;
        snprintf(path, sizeof path, "%s/cpu%d", folder, i);
        cr_assert(!mkdir(path, 0700));
        snprintf(path, sizeof path, "%s/cpu%d/topology", folder, i);
        cr_assert(!mkdir(path, 0700));
        write_number(i, "physical_package_id", n / per_socket);
        write_number(i, "core_id", n / per_core);
        n++;
    }
    return n;
}

static void remove_topology(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert(!system(command));
}

Test(processor_pairs, kinds_are_those_of_the_topology)
{
    static const struct {
        int per_socket, per_core;
        uint32_t pairs;
        const char *only;
    } cases[] = {{CPU_SETSIZE, CPU_SETSIZE, 1 << PAIR_CORE, "on one core"},
                 {CPU_SETSIZE, 1, 1 << PAIR_SOCKET, "on two cores of a socket"},
                 {1, 1, 1 << PAIR_NODE, "on two sockets"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int usable = write_topology(cases[i].per_socket, cases[i].per_core);
        uint32_t pairs = processor_pairs(folder);
        remove_topology();
        memcpy(folder, "/tmp/pcomp-pairs.XXXXXX", sizeof folder);
        cr_expect_eq(pairs, usable > 1 ? cases[i].pairs : 0);
        cr_expect_str_eq(processor_pair_only(cases[i].pairs), cases[i].only);
    }
}

Test(processor_pairs, several_kinds_or_none_have_no_word)
{
    cr_expect_eq(processor_pairs("/no/such/folder"), 0);
    cr_expect_null(processor_pair_only(0));
    cr_expect_null(processor_pair_only(1 << PAIR_CORE | 1 << PAIR_SOCKET));
}
