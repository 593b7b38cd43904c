#!/bin/bash
# A program of ThreadSanitizer, which ends it with 66 where it saw a race: it sees memset and memcpy of the library, and
# none of its locks.
. "$(dirname "$0")/case.sh"
unset TSAN_OPTIONS
cat > "$work/program.c" << 'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
__attribute__((noinline)) void add(void)
{
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) void spin(void)
{
    for (volatile int i = 0; i < 1000; i++)
        ;
}
void *thread(void *p)
{
    for (int i = 0; i < 100000; i++) {
        add();
        if (i % 100 == 0)
            spin();
    }
    return p;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("expect calls spin 4000\nexpect calls add %ld\n", sum);
    return 7;
}
C
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    drop "$PCOMP_DATA"
    build $compiler shared program "-O1 -fsanitize=thread" "$work/program.c"
    run 7 "$work/program"
    silent
    [ "$MODE" = decided ] && sed -i '/ add /d' "$work/out" # an estimate
    check
done
finish
