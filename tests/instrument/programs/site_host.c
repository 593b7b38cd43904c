/* site_host PLUGIN ROUNDS: loads and unloads an instrumented plug-in again and again, alone and from three threads at
 * once. All that the plug-in is called for after it was loaded is counted. */
#include "expect.h"

#include <dlfcn.h>
#include <pthread.h>

static const char *plugin;
static int rounds;
static unsigned long wanted, wanted_twice;

PLAIN void *load_and_call(void *p)
{
    for (int i = 0; i < rounds; i++) {
        void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
        CHECK(handle);
        int (*function)(int) = (int (*)(int))dlsym(handle, "in_plugin");
        CHECK(function);
        for (int k = 0; k < 100; k++)
            CHECK(function(k) == 2 * k + 2);
        __atomic_fetch_add(&wanted, 100, __ATOMIC_RELAXED);
        CHECK(dlclose(handle) == 0);
    }
    return p;
}

int main(int argc, char **argv)
{
    COUNT();
    pthread_t t[3];
    CHECK(argc == 3);
    plugin = argv[1];
    rounds = atoi(argv[2]);
    load_and_call(NULL);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], NULL, load_and_call, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    wanted_twice = 2 * wanted;
    EXPECT("calls main 1");
    EXPECT("calls in_plugin %lu", wanted);
    EXPECT("calls twice_in_plugin %lu", wanted_twice);
    EXPECT("nolaw");
    EXPECT("closed 1");
    return 0;
}
