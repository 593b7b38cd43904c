/* libpcomp-stamp.so, preloaded by `pcomp verify` into the program without hooks and the one with hooks: when main was
 * entered and when it was left, by returning or by calling exit. It reads the clock twice and writes one small file
 * into the directory that PCOMP_STAMP names, after the second time; otherwise the program does not see it.
 *
 * A program that is killed, or replaces itself, leaves no file.
 *
 * PCOMP_STAMP_GATE names a directory with two pipes: the first process of the program PCOMP_STAMP_PROGRAM says its id
 * in one before main and waits for the other, so that a sampler can attach to it. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int main_function(int, char **, char **);

static main_function *program_main;
static uint64_t entered; /* ns, CLOCK_MONOTONIC */
static pid_t stamped;    /* a child that forked has not entered main of its own */
static atomic_flag left = ATOMIC_FLAG_INIT;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void write_stamp(const char *directory, uint64_t end)
{
    char path[4096], text[4352], program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (snprintf(path, sizeof path, "%s/%d", directory, (int)stamped) >= (int)sizeof path)
        return;
    int size = snprintf(text, sizeof text, "pcomp-stamp 1\nentered %llu\nleft %llu\nprogram %s\n",
                        (unsigned long long)entered, (unsigned long long)end, program);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, text, (size_t)size) != size)
        unlink(path); /* no stamp says more than half of one */
    close(file);
}

static void leave(void)
{
    uint64_t end = now();
    const char *directory = getenv("PCOMP_STAMP");
    if (entered && directory && getpid() == stamped && !atomic_flag_test_and_set(&left))
        write_stamp(directory, end);
}

static void wait_at_gate(const char *directory, const char *program)
{
    char path[4096], word[64], self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    if (!program || strcmp(self, program) != 0 || strlen(directory) > sizeof path - 16)
        return;
    snprintf(path, sizeof path, "%s/first", directory);
    int first = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (first < 0)
        return;
    close(first);
    snprintf(path, sizeof path, "%s/here", directory);
    int here = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC); /* not blocking: nobody may be there any more */
    snprintf(path, sizeof path, "%s/go", directory);
    int go = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int size = snprintf(word, sizeof word, "main %d\n", (int)getpid());
    if (here >= 0 && go >= 0 && fcntl(go, F_SETFL, 0) == 0 && write(here, word, (size_t)size) == size &&
        read(go, word, 1) < 0)
        word[0] = 0; /* go on all the same */
    close(here);
    close(go);
}

static int main_between(int argc, char **argv, char **environment)
{
    const char *gate = getenv("PCOMP_STAMP_GATE");
    if (gate)
        wait_at_gate(gate, getenv("PCOMP_STAMP_PROGRAM"));
    stamped = getpid();
    entered = now();
    int status = program_main(argc, argv, environment);
    leave();
    return status;
}

EXPORT int __libc_start_main(main_function *function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end);

EXPORT int __libc_start_main(main_function *function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end)
{
    int (*next)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = function;
    return next(main_between, argc, argv, init, fini, rtld_fini, stack_end);
}

/* The ways out of main that do not return from it: the time ends where they are called. */
#define WAY_OUT(name)                                                                                                  \
    EXPORT _Noreturn void name(int status)                                                                             \
    {                                                                                                                  \
        void (*next)(int);                                                                                             \
        leave();                                                                                                       \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                     \
        next(status);                                                                                                  \
        __builtin_unreachable();                                                                                       \
    }

WAY_OUT(exit)
WAY_OUT(quick_exit)
WAY_OUT(_exit)
WAY_OUT(_Exit)
