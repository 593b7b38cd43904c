/* Loads plug-in A, calls it, unloads it, loads B, which comes to lie at the same address, and again: ROUNDS times. */
#include "expect.h"

#include <dlfcn.h>

#ifndef ROUNDS
#define ROUNDS 10
#endif

static void *last;
static int same;

int use(const char *path, int n)
{
    COUNT();
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library);
    int (*call_it)(int);
    *(void **)&call_it = dlsym(library, "call_it");
    same += (void *)call_it == last;
    last = (void *)call_it;
    int sum = call_it(n);
    CHECK(dlclose(library) == 0);
    return sum;
}

int main(int argc, char **argv)
{
    COUNT();
    CHECK(argc == 3);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(use(argv[1], 10) == 45 + 10 * 1);
        CHECK(use(argv[2], 20) == 190 + 20 * 2);
    }
    CHECK(same > ROUNDS); /* the point of this test */
    EXPECT("calls in_plugin_a %d", 10 * ROUNDS);
    EXPECT("calls in_plugin_b %d", 20 * ROUNDS);
    EXPECT("path main>use>call_it>in_plugin_a %d", 10 * ROUNDS);
    EXPECT("path main>use>call_it>in_plugin_b %d", 20 * ROUNDS);
    EXPECT("calls call_it %d", 2 * ROUNDS);
    EXPECT("calls use %d", 2 * ROUNDS);
    EXPECT("closed 1");
    expect_untouched();
    return 0;
}
