/* in_loader PLUGIN: functions are called for the first time by a thread that holds the loader's lock (in a callback of
 * dl_iterate_phdr, as handlers of signals in dlclose do), while another asks the library to look for new modules. */
#define _GNU_SOURCE
#include "expect.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#define TURNS 4

static char *path;
static int (*in_plugin)(int);
static int turn, inside;
static volatile int sink;

__attribute__((noinline)) int first(int x)
{
    COUNT();
    return x + 1;
}

__attribute__((noinline)) int second(int x)
{
    COUNT();
    return x + 2;
}

__attribute__((noinline)) int third(int x)
{
    COUNT();
    return x + 3;
}

__attribute__((noinline)) int fourth(int x)
{
    COUNT();
    return x + 4;
}

static PLAIN int call(struct dl_phdr_info *info, size_t size, void *argument)
{
    static int (*const fresh[TURNS])(int) = {first, second, third, fourth};
    (void)info;
    (void)size;
    __atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
    usleep(50000);
    sink = fresh[*(int *)argument](1);
    return 1;
}

static PLAIN void *other(void *unused)
{
    while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
        usleep(100);
    if (turn == 0)
        sink = in_plugin(1); /* of a module that was not met yet */
    else {
        void *again = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* it is loaded: the loader needs no lock */
        CHECK(again);
        if (turn % 2)
            dlclose(again);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    COUNT();
    CHECK(argc == 2);
    path = argv[1];
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin);
    *(void **)&in_plugin = dlsym(plugin, "in_plugin");
    CHECK(in_plugin);
    alarm(20); /* instead of waiting for ever */
    for (; turn < TURNS; turn++) {
        inside = 0;
        CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
        CHECK(dl_iterate_phdr(call, &turn) == 1);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    expect_counts();
    return 0;
}
