/* unruled_waits KIND: a wait of 40 ms for another thread or process, in a way that no rule of the replay covers. */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
}

static void *set_flag(void *argument)
{
    rest();
    done = 1;
    return argument;
}

static sem_t begun;

static void rest_once(void)
{
    sem_post(&begun);
    rest();
}

static void *run_once(void *argument)
{
    pthread_once(&once, rest_once);
    return argument;
}

/* The other thread, or the child, has long ended when it is waited for: else the total would be its, and has none of
 * the wait that is looked at. */
static void outlive(void)
{
    usleep(20000);
}

static void wait_for_child(void)
{
    outlive();
    wait(NULL);
}

static void with_thread(void *(*other)(void *), void (*await)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    await();
    outlive();
    pthread_join(thread, NULL);
}

static void yields(void)
{
    while (!done)
        sched_yield();
}

static void spins(void)
{
    while (!done)
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        ;
#endif
}

static void meets_once(void)
{
    sem_wait(&begun);
    pthread_once(&once, rest_once);
}

static void stdio(void)
{
    int ends[2];
    char line[20];
    if (pipe(ends))
        exit(1);
    if (fork() == 0) {
        rest();
        _exit(write(ends[1], "line\n", 5) != 5);
    }
    FILE *f = fdopen(ends[0], "r");
    if (!f || !fgets(line, sizeof line, f))
        exit(1);
    wait_for_child();
}

static void command(void)
{
    char line[20];
    FILE *f = popen("sleep 0.04; echo line", "r");
    if (!f || !fgets(line, sizeof line, f) || pclose(f))
        exit(1);
}

static void file_lock(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK};
    int fd = open(path, O_RDWR | O_CREAT, 0600), ends[2];
    char letter;
    if (fd < 0 || pipe(ends))
        exit(1);
    if (fork() == 0) {
        if (fcntl(fd, F_SETLKW, &lock) || write(ends[1], "x", 1) != 1)
            _exit(1);
        rest();
        _exit(0);
    }
    if (read(ends[0], &letter, 1) != 1 || fcntl(fd, F_SETLKW, &lock))
        exit(1);
    wait_for_child();
}

static void queues(void)
{
    struct {
        long type;
        char text[8];
    } message = {1, "text"};
    struct sembuf up = {0, 1, 0}, down = {0, -1, 0};
    int queue = msgget(IPC_PRIVATE, 0600), set = semget(IPC_PRIVATE, 1, 0600);
    if (fork() == 0) {
        rest();
        _exit(msgsnd(queue, &message, sizeof message.text, 0) || semop(set, &up, 1));
    }
    if (msgrcv(queue, &message, sizeof message.text, 0, 0) < 0 || semop(set, &down, 1))
        exit(1);
    wait_for_child();
    msgctl(queue, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
}

static void message_queue(void)
{
    char name[40], text[8];
    struct mq_attr shape = {.mq_maxmsg = 1, .mq_msgsize = sizeof text};
    snprintf(name, sizeof name, "/pcomp-unruled-%d", (int)getpid());
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &shape);
    mq_unlink(name);
    if (fork() == 0) {
        rest();
        _exit(mq_send(queue, "text", 4, 0) != 0);
    }
    if (mq_receive(queue, text, sizeof text, NULL) != 4)
        exit(1);
    wait_for_child();
}

int main(int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[1] : "";
    sem_init(&begun, 0, 0);
    if (!strcmp(kind, "yield"))
        with_thread(set_flag, yields);
    else if (!strcmp(kind, "spin"))
        with_thread(set_flag, spins);
    else if (!strcmp(kind, "once"))
        with_thread(run_once, meets_once);
    else if (!strcmp(kind, "stdio"))
        stdio();
    else if (!strcmp(kind, "popen"))
        command();
    else if (!strcmp(kind, "system"))
        return system("sleep 0.04") != 0;
    else if (!strcmp(kind, "fcntl"))
        file_lock(argv[2]);
    else if (!strcmp(kind, "queues"))
        queues();
    else if (!strcmp(kind, "mq"))
        message_queue();
    else
        return 2;
    return 0;
}
