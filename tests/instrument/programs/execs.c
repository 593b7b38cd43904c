/* Every function that puts another program in the place of one that is sampled, again and again, from main and from a
 * thread: no signal of the sampler reaches the new program, whose default action would end it. The new program is this
 * one, with an argument. FAILING: no exec succeeds, and the samples go on. */
#include "expect.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>

#define ROUNDS     30
#define COMPUTE_MS 6
#define LEFT       17 /* status of the new program */

extern char **environ;

enum way { EXECVE, EXECV, EXECVP, EXECVPE, EXECL, EXECLP, EXECLE, FEXECVE, WAYS };

static const char *self;

void compute(double ms)
{
    COUNT();
    expect_spin(ms);
}

void compute_processor(double ms)
{
    COUNT();
    expect_spin_processor(ms);
}

/* Returns when it failed. */
static PLAIN void become(enum way way, const char *path, char *const *arguments)
{
    char *environment[] = {(char *)(uintptr_t) "PCOMP_TEST_ENVIRONMENT=1", NULL};
    const char *name = arguments[0], *second = arguments[1];
    int fd;
    switch (way) {
    case EXECVE:
        execve(path, arguments, environ);
        break;
    case EXECV:
        execv(path, arguments);
        break;
    case EXECVP:
        execvp(path, arguments);
        break;
    case EXECVPE:
        execvpe(path, arguments, environment);
        break;
    case EXECL:
        execl(path, name, second, "1", "2", "3", "4", "5", "6", NULL);
        break;
    case EXECLP:
        execlp(path, name, second, NULL);
        break;
    case EXECLE:
        execle(path, name, second, "1", "2", "3", "4", "5", "6", NULL, environment);
        break;
    case FEXECVE:
        fd = open(path, O_RDONLY | O_CLOEXEC);
        fexecve(fd, arguments, environ);
        close(fd);
        break;
    default:
        break;
    }
}

static PLAIN char *const *arguments_of(enum way way)
{
    static char number[] = "0";
    static char *arguments[] = {NULL, number, NULL};
    arguments[0] = (char *)(uintptr_t)self;
    number[0] = (char)('0' + way);
    return arguments;
}

/* The new program, which no hook tells the library of. */
static PLAIN int became(enum way way, int argc)
{
    sigset_t all, mask, pending;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, &mask);
    sigpending(&pending);
    for (int s = 1; s < 65; s++) {
        CHECK(sigismember(&pending, s) != 1);
        CHECK(sigismember(&mask, s) != 1 || sigismember(&mask, SIGUSR1) == 1);
    }
    CHECK(argc == (way == EXECL || way == EXECLE ? 8 : 2));
    CHECK(!getenv("PCOMP_TEST_ENVIRONMENT") == (way != EXECVPE && way != EXECLE));
    expect_spin(1);
    return LEFT;
}

static void *compute_for_good(void *unused)
{
    for (;;)
        compute(1);
    return unused;
}

static void *become_in_thread(void *way)
{
    compute(COMPUTE_MS);
    become((enum way)(uintptr_t)way, self, arguments_of((enum way)(uintptr_t)way));
    _exit(98);
}

static PLAIN void reap(pid_t pid, int status)
{
    int found;
    CHECK(waitpid(pid, &found, 0) == pid);
    if (found != status)
        fprintf(stderr, "a child ended with %x instead of %x\n", (unsigned)found, (unsigned)status);
    CHECK(found == status);
}

/* Another thread may be sampled at that time, too, or be the one that becomes the new program. */
static void in_child(int round, enum way way)
{
    pid_t pid = fork();
    if (pid) {
        reap(pid, LEFT << 8);
        return;
    }
    pthread_t t;
    if (round % 3 == 1)
        CHECK(pthread_create(&t, NULL, compute_for_good, NULL) == 0);
    if (round % 3 == 2) {
        CHECK(pthread_create(&t, NULL, become_in_thread, (void *)(uintptr_t)way) == 0);
        compute_for_good(NULL);
    }
    compute(COMPUTE_MS + 0.1 * round);
    become(way, self, arguments_of(way));
    _exit(97);
}

static sig_atomic_t handler_way = EXECV;

/* All signals are blocked while it runs, that of the sampler, too, and are in the new program until it unblocks them.
 */
static void become_in_handler(int number)
{
    (void)number;
    compute(2 * COMPUTE_MS);
    become((enum way)handler_way, self, arguments_of((enum way)handler_way));
    _exit(96);
}

static void in_handler(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction action = {.sa_handler = become_in_handler};
        sigfillset(&action.sa_mask);
        sigaction(SIGUSR1, &action, NULL);
        compute(1);
        raise(SIGUSR1);
    }
    reap(pid, LEFT << 8);
}

/* None of these may end or disturb this one's samples. */
static void beside(enum way way)
{
    compute(COMPUTE_MS);
    pid_t pid = vfork();
    if (pid == 0) {
        become(way, self, arguments_of(way));
        _exit(95);
    }
    reap(pid, LEFT << 8);
    compute(COMPUTE_MS);
    pid = vfork();
    if (pid == 0) {
        for (int s = 1; s < 65; s++)
            signal(s, SIG_DFL);
        become(way, self, arguments_of(way));
        _exit(95);
    }
    reap(pid, LEFT << 8);
    compute(COMPUTE_MS);
    CHECK(posix_spawn(&pid, self, NULL, NULL, (char **)(uintptr_t)arguments_of(EXECV), environ) == 0);
    reap(pid, LEFT << 8);
    compute(COMPUTE_MS);
    CHECK(system("exit 5") == 5 << 8);
    FILE *f = popen("echo read", "r");
    char line[8] = "";
    CHECK(f && fgets(line, sizeof(line), f) && !strcmp(line, "read\n"));
    CHECK(pclose(f) == 0);
    compute(COMPUTE_MS);
    become(way, "/does/not/exist", arguments_of(way));
    compute(COMPUTE_MS);
}

/* Twice without a pause: the timer begins once. */
static void fail_to_become(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++) {
            compute_processor(COMPUTE_MS);
            become((enum way)way, "/does/not/exist", arguments_of((enum way)way));
            become((enum way)way, "/does/not/exist", arguments_of((enum way)way));
        }
    EXPECT("unsampled_processes 0");
    EXPECT("least samples %d", ROUNDS * WAYS / 6); /* an interrupt may seem to cost 0.2 ms */
    EXPECT("most samples %d", 3 * ROUNDS * WAYS * COMPUTE_MS);
    exit(0);
}

PLAIN int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1)
        _exit(became((enum way)(argv[1][0] - '0'), argc));
#ifdef FAILING
    fail_to_become();
#endif
    for (int way = 0; way < WAYS; way++) {
        for (int round = 0; round < ROUNDS; round++)
            in_child(round, (enum way)way);
        beside((enum way)way);
        handler_way = way;
        in_handler();
    }
    EXPECT("nolaw");
    EXPECT("unsampled_processes 0");
    EXPECT("least sampled_processes %d", WAYS * ROUNDS / 2);
    return 0;
}
