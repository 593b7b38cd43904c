/* Plug-ins that are unloaded and loaded while hooks are off, and a child that is forked then. Arguments: plug-ins A and
 * B, which come to lie at the same address. */
#include "expect.h"
#include "tests/profiler/site_control.h"

#include <dlfcn.h>
#include <sys/wait.h>

static int same;

static PLAIN int use(const char *path, int n, int turn_before, int turn_after)
{
    static void *last;
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library);
    int (*call_it)(int);
    *(void **)&call_it = dlsym(library, "call_it");
    same += (void *)call_it == last;
    last = (void *)call_it;
    if (turn_before >= 0)
        control_turn(turn_before);
    int sum = call_it(n);
    if (turn_after >= 0)
        control_turn(turn_after);
    sum += call_it(n);
    CHECK(dlclose(library) == 0);
    return sum;
}

void in_child(void)
{
    COUNT();
}

static PLAIN void fork_while_off(void)
{
    int status;
    control_turn(0);
    in_child(); /* counted by the program, below, and not by the profile */
    pid_t child = fork();
    if (child == 0) {
        expect_forget();
        for (int i = 0; i < 7; i++)
            in_child();
        control_turn(0);
        control_turn(1);
        for (int i = 0; i < 5; i++)
            in_child();
        expect_counts();
        exit(0);
    }
    in_child();
    control_turn(1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    expect_forget();
    for (int i = 0; i < 3; i++)
        in_child();
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    in_child();
    CHECK(!control_find((const void *)main).refused);
    for (int i = 0; i < 10; i++) {
        CHECK(use(argv[1], 10, -1, 0) == 2 * (45 + 10 * 1));  /* counted, not counted, unloaded while off */
        CHECK(use(argv[2], 20, -1, 1) == 2 * (190 + 20 * 2)); /* not counted, counted */
    }
    CHECK(same > 10); /* the point of this test */
    fork_while_off();
    EXPECT("path main>call_it>in_plugin_a 100");
    EXPECT("path main>call_it>in_plugin_b 200");
    EXPECT("calls@%d in_child 4", (int)getpid());
    EXPECT("calls call_it 20");
    EXPECT("processes 2");
    EXPECT("torn");
    expect_untouched();
    return 0;
}
