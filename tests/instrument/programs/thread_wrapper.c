/* A library behind libpcomp whose pthread_create has an instrumented function run in the new thread before all else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
    void *(*function)(void *);
    void *argument;
};

void *wrapped_start(void *argument)
{
    struct task task = *(struct task *)argument;
    free(argument);
    return task.function(task.argument);
}

__attribute__((no_instrument_function)) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                           void *(*function)(void *), void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct task *task = malloc(sizeof *task);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    if (!task)
        return 1;
    *task = (struct task){function, argument};
    return next(thread, attributes, wrapped_start, task);
}
