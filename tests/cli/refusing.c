/* refusing WHAT PROGRAM ARGUMENT...: runs it where the system refuses, as hardened ones do,
 *
 *   memfd    files in memory
 *   exec     memory to be executed that the loader does not map so: anonymous, shared, populated, or made executable
 *            later
 *   docker   what Docker's default profile refuses of what measuring may ask for: perf events, namespaces, keys, BPF,
 *            and clone3, which is not there */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER      offsetof(struct seccomp_data, nr)
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i)) /* the lower half, little endian */
#define LOAD(what)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what)
#define REFUSE      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
#define ALLOW       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter memfd[] = {
    LOAD(NUMBER),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
    REFUSE,
    ALLOW,
};

static struct sock_filter exec[] = {
    LOAD(NUMBER),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 0),
    ALLOW,
    LOAD(ARGUMENT(2)), /* mprotect */
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 4, 5),
    LOAD(ARGUMENT(2)), /* mmap */
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 3),
    LOAD(ARGUMENT(3)),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS | MAP_SHARED | MAP_POPULATE, 0, 1),
    REFUSE,
    ALLOW,
};

static struct sock_filter docker[] = {
    LOAD(NUMBER),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 12, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 12, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 11, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 10, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setns, 9, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 8, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 7, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 6, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open_by_handle_at, 5, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
    LOAD(ARGUMENT(0)),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x7e020000 /* of namespaces */, 2, 0),
    ALLOW,
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
};

static const struct {
    const char *name;
    struct sock_fprog filter;
} kinds[] = {
    {"memfd", {sizeof memfd / sizeof *memfd, memfd}},
    {"exec", {sizeof exec / sizeof *exec, exec}},
    {"docker", {sizeof docker / sizeof *docker, docker}},
};

int main(int argc, char **argv)
{
    struct sock_fprog program = {0};
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(argv[1], kinds[i].name))
            program = kinds[i].filter;
    if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        fprintf(stderr, "refusing: %s\n", strerror(errno));
        return 125;
    }
    execvp(argv[2], argv + 2);
    return 127;
}
