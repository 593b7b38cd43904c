/* Forks while other threads load and unload a plug-in: the loader's lock may be held by a thread that the child does
 * not have. Each child calls and ends, as it would unmeasured. */
#include "expect.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

#define CHILDREN 150

static const char *plugin;
static bool over;
static volatile int sink;

static PLAIN void *load(void *p)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
        CHECK(library && dlclose(library) == 0);
    }
    return p;
}

__attribute__((noinline)) int in_child(int x)
{
    return x + 1;
}

static PLAIN bool ends(pid_t child, int *status)
{
    for (int i = 0; i < 10000; i++) {
        if (waitpid(child, status, WNOHANG) == child)
            return true;
        usleep(1000);
    }
    kill(child, SIGKILL);
    return false;
}

int main(int argc, char **argv)
{
    COUNT();
    pthread_t threads[2];
    CHECK(argc == 2);
    plugin = argv[1];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, load, NULL) == 0);
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            for (int k = 0; k < 10; k++)
                sink = in_child(k);
            _exit(in_child(6));
        }
        CHECK(ends(child, &status) && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    expect_counts();
    EXPECT("processes %d", CHILDREN + 1);
    EXPECT("torn");
    return 0;
}
