/* plugin_places A B: while one thread is about to look what its dlclose of plug-in A unloaded, another one loads B to
 * the same place and calls it. The look is met in dl_iterate_phdr, which the program puts in front of libc's. */
#define _GNU_SOURCE
#include "expect.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#define ROUNDS 20

static const char *other;
static void *place;          /* of A's function */
static bool closing;         /* A is, and B was not loaded yet */
static __thread bool closes; /* in the thread that does it */
static sem_t begin, end;
static int same;

/* So that the thread has all its memory before A is loaded. */
void begins(void)
{
    COUNT();
}

static PLAIN int (*load(const char *path, void **library))(int)
{
    int (*call_it)(int);
    CHECK((*library = dlopen(path, RTLD_NOW)) != NULL);
    *(void **)&call_it = dlsym(*library, "call_it");
    CHECK(call_it != NULL);
    return call_it;
}

static PLAIN void *use_other(void *p)
{
    begins();
    for (int i = 0; i < ROUNDS; i++) {
        void *library;
        CHECK(sem_post(&end) == 0 && sem_wait(&begin) == 0);
        int (*call_it)(int) = load(other, &library);
        same += (void *)call_it == place;
        CHECK(call_it(20) == 190 + 20 * 2);
        CHECK(dlclose(library) == 0);
    }
    CHECK(sem_post(&end) == 0);
    return p;
}

PLAIN int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    static int (*next)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    Dl_info info;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    if (closes && closing && !dladdr(place, &info)) {
        closing = false;
        CHECK(sem_post(&begin) == 0 && sem_wait(&end) == 0);
    }
    return next(visit, argument);
}

int main(int argc, char **argv)
{
    COUNT();
    pthread_t thread;
    CHECK(argc == 3);
    other = argv[2];
    CHECK(sem_init(&begin, 0, 0) == 0 && sem_init(&end, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, use_other, NULL) == 0 && sem_wait(&end) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        void *library;
        int (*call_it)(int) = load(argv[1], &library);
        CHECK(call_it(10) == 45 + 10 * 1);
        place = (void *)call_it;
        closes = closing = true;
        CHECK(dlclose(library) == 0);
        closes = false;
        CHECK(!closing);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(same > ROUNDS / 2); /* the point of this test */
    EXPECT("calls in_plugin_a %d", 10 * ROUNDS);
    EXPECT("calls in_plugin_b %d", 20 * ROUNDS);
    EXPECT("calls call_it %d", 2 * ROUNDS);
    EXPECT("closed 1");
    return 0;
}
