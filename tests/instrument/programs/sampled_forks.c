/* A fork leaves the sampler to the parent, and the child begins one of its own: both compute, have samples, and fork
 * again; from a thread, too. */
#include "expect.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH      4
#define COMPUTE_MS 80
#define PIECE_MS   7

/* In pieces, each longer than the kernel's tick: processes that share a processor can take turns in step with it, and
 * some of them then never run when a timer's signal is due. */
void compute(double ms)
{
    COUNT();
    for (int i = 0; i < ms / PIECE_MS; i++) {
        expect_spin_processor(PIECE_MS);
        usleep((useconds_t)(100 + 300 * (i % 5)));
    }
}

static PLAIN void reap(pid_t pid)
{
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
}

void fork_below(int depth)
{
    compute(COMPUTE_MS);
    if (depth == 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        fork_below(depth - 1);
        exit(0);
    }
    compute(COMPUTE_MS);
    reap(pid);
}

void *fork_in_thread(void *unused)
{
    compute(COMPUTE_MS);
    pid_t pid = fork();
    if (pid == 0) {
        compute(COMPUTE_MS);
        exit(0);
    }
    compute(COMPUTE_MS);
    reap(pid);
    return unused;
}

int main(void)
{
    pthread_t t;
    fork_below(DEPTH);
    CHECK(pthread_create(&t, NULL, fork_in_thread, NULL) == 0);
    compute(COMPUTE_MS);
    pthread_join(t, NULL);
    EXPECT("processes %d", DEPTH + 2);
    EXPECT("sampled_processes %d", DEPTH + 2);
    EXPECT("unsampled_processes 0");
    EXPECT("other_samplers 0");
    EXPECT("nolaw");
    expect_untouched();
    return 0;
}
