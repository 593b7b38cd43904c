/* Hours of everything that may happen: soak SECONDS PLUGIN... (bench/soak). Threads call hot and rare functions, throw
 * and catch, load and unload plug-ins, fork, create threads that end at once, and take a timer's signals; what they
 * call they count themselves. Built with -DPLUGIN: a plug-in. */
#include "expect.h"

#define NAMED extern "C" __attribute__((noinline)) /* found by name in the profile */

#ifdef PLUGIN
NAMED int plugin_leaf(int x, uint64_t *calls)
{
    __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
    return x * 3 + 1;
}

NAMED int plugin_work(int x, uint64_t *leaves, uint64_t *calls)
{
    __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 20; i++)
        x = plugin_leaf(x, leaves);
    return x;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>

static double until;
static char **plugins;
static int plugin_count;
static uint64_t leaves, works, hots, handled;
static thread_local volatile int sink;

static PLAIN bool goes_on(void)
{
    return expect_now_ms() < until;
}

NAMED int hot(int x)
{
    return x * 5 + 1;
}

NAMED void many(void)
{
    COUNT();
    for (int i = 0; i < 10000; i++)
        sink = hot(i);
    __atomic_fetch_add(&hots, 10000, __ATOMIC_RELAXED);
}

NAMED int thrower(int depth)
{
    COUNT();
    if (depth == 0)
        throw depth;
    return thrower(depth - 1) + 1;
}

NAMED int catcher(int depth)
{
    COUNT();
    try {
        return thrower(depth);
    } catch (int caught) {
        return caught;
    }
}

NAMED void on_timer(int)
{
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

NAMED int in_child(int x)
{
    return x + 1;
}

static PLAIN void *call(void *p)
{
    while (goes_on())
        many();
    return p;
}

static PLAIN void *throw_all_along(void *p)
{
    while (goes_on())
        for (int i = 0; i < 100; i++)
            sink = catcher(i % 7);
    return p;
}

static PLAIN void *load(void *p)
{
    for (int at = 0; goes_on(); at++) {
        void *plugin = dlopen(plugins[at % plugin_count], RTLD_NOW | RTLD_LOCAL);
        CHECK(plugin);
        auto work = reinterpret_cast<int (*)(int, uint64_t *, uint64_t *)>(dlsym(plugin, "plugin_work"));
        CHECK(work);
        for (int i = 0; i < 200; i++)
            sink = work(i, &leaves, &works);
        dlclose(plugin);
    }
    return p;
}

static PLAIN void *fork_now_and_then(void *p)
{
    while (goes_on()) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            for (int i = 0; i < 1000; i++)
                sink = in_child(i);
            _exit(in_child(6));
        }
        int status;
        pid_t ended;
        while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
            ;
        CHECK(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
        for (int i = 0; i < 50 && goes_on(); i++)
            usleep(100000);
    }
    return p;
}

static PLAIN void *brief(void *p)
{
    sink = catcher(1);
    return p;
}

static PLAIN void *create_all_along(void *p)
{
    while (goes_on()) {
        pthread_t t;
        CHECK(pthread_create(&t, nullptr, brief, nullptr) == 0 && pthread_join(t, nullptr) == 0);
        usleep(1000);
    }
    return p;
}

int main(int argc, char **argv)
{
    COUNT();
    static void *(*const tasks[8])(void *) = {call, call, throw_all_along,   throw_all_along,
                                              load, load, fork_now_and_then, create_all_along};
    pthread_t threads[8];
    CHECK(argc > 2);
    until = expect_now_ms() + 1e3 * atof(argv[1]);
    plugins = argv + 2;
    plugin_count = argc - 2;
    struct sigaction action = {};
    action.sa_handler = on_timer;
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGPROF, &action, nullptr) == 0);
    struct itimerval every = {{0, 7000}, {0, 7000}}, never = {};
    CHECK(setitimer(ITIMER_PROF, &every, nullptr) == 0);
    for (int i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], nullptr, tasks[i], nullptr) == 0);
    for (int i = 0; i < 8; i++)
        CHECK(pthread_join(threads[i], nullptr) == 0);
    CHECK(setitimer(ITIMER_PROF, &never, nullptr) == 0);
    expect_counts();
    int pid = getpid();
    EXPECT("calls@%d hot %lu", pid, (unsigned long)hots);
    EXPECT("calls@%d plugin_work %lu", pid, (unsigned long)works);
    EXPECT("calls@%d plugin_leaf %lu", pid, (unsigned long)leaves);
    EXPECT("calls@%d on_timer %lu", pid, (unsigned long)handled);
    EXPECT("torn");
    for (const char *const *key = (const char *const[]){"abandoned", "uncertain", "unmatched", nullptr}; *key; key++)
        EXPECT("most %s 1000000000", *key);
    return 0;
}
#endif
