/* Deep stacks of a thread are sampled after another's shadow stack has grown, and left chunks of the profile behind:
 * the samples' frames keep their order in the file. */
#include "expect.h"

#include <pthread.h>

#define DEPTH  20000
#define PLACES 8

int descend(int depth, int below)
{
    COUNT();
    if (depth == below)
        expect_spin_processor(25);
    return depth ? descend(depth - 1, below) + 1 : 0;
}

void *thread(void *unused)
{
    for (int i = 0; i < PLACES; i++)
        descend(400 + 50 * i, 50 * i);
    return unused;
}

int main(void)
{
    pthread_t t;
    descend(DEPTH, -1);
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0);
    pthread_join(t, NULL);
    EXPECT("sampled_processes 1");
    EXPECT("nolaw");
    return 0;
}
