/* Which processes still run, and the fetching of what ended ones left in memory. */
#include "reporters/profile/data_directory.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[32], memory[96], path[128], error[1024];
static struct data_directory d;
static struct profile_writer w;
static pid_t child;

#define RUN "00112233445566778899aabbccddeeff"

static void write_run(const char *id)
{
    char name[64];
    snprintf(name, sizeof name, "%s/run", dir);
    FILE *f = fopen(name, "w");
    cr_assert_not_null(f);
    fprintf(f, "pcomp-run 1\nid %s\n", id);
    fclose(f);
}

static void make(void)
{
    strcpy(dir, "/tmp/pcomp-test-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    child = 0;
    profile_writer_init(&w, 0, 0);
    profile_writer_thread(&w, 1, "main", PCOMP_THREAD_MAIN);
    profile_writer_header(&w)->state = PCOMP_STATE_LIVE;
    for (int i = 0; i < 16; i++)
        profile_writer_header(&w)->run_id[i] = (uint8_t)(i * 0x11);
    write_run(RUN);
}

static void clean(void)
{
    char command[256];
    if (child) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    data_directory_close(&d);
    profile_writer_free(&w);
    snprintf(command, sizeof command, "rm -rf %s %s", dir, memory);
    cr_assert_eq(system(command), 0);
}

TestSuite(data_directory, .init = make, .fini = clean);

static void read_boot_id(uint8_t id[16])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        if (i == 4 || i == 6 || i == 8 || i == 10)
            fgetc(f);
        cr_assert_eq(fscanf(f, "%2x", &byte), 1);
        id[i] = (uint8_t)byte;
    }
    fclose(f);
}

static uint64_t start_of(pid_t pid)
{
    char name[64], text[1024] = "";
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    FILE *f = fopen(name, "r");
    cr_assert_not_null(fgets(text, sizeof text, f));
    fclose(f);
    char *at = strrchr(text, ')');
    for (int field = 2; field < 22; field++)
        at = strchr(at + 1, ' ');
    return strtoull(at, NULL, 10);
}

/* The profile of process `pid` in memory, and the link to it. */
static void leave_in_memory(pid_t pid, unsigned image)
{
    profile_writer_header(&w)->pid = pid;
    snprintf(memory, sizeof memory, "/dev/shm/pcomp-%u-0123456789abcdef-%d-%u", getuid(), pid, image);
    snprintf(path, sizeof path, "%s/%d-%u.pcomp", dir, pid, image);
    cr_assert(profile_writer_save(&w, memory));
    cr_assert_eq(truncate(memory, 1 << 20), 0); /* room that was reserved */
    cr_assert_eq(symlink(memory, path), 0);
}

/* A process that has `name` mapped, as the library would. */
static void start_child(bool with_mapping)
{
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    child = fork();
    if (!child) {
        char go;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(30);
        if (read(ready[0], &go, 1) == 1 && with_mapping) {
            snprintf(memory, sizeof memory, "/dev/shm/pcomp-%u-0123456789abcdef-%d-0", getuid(), getpid());
            int fd = open(memory, O_RDWR);
            mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            close(fd);
        }
        for (;;)
            pause();
    }
    read_boot_id(profile_writer_header(&w)->boot_id);
    profile_writer_header(&w)->process_start = start_of(child);
    leave_in_memory(child, 0);
    cr_assert_eq(write(ready[1], "x", 1), 1);
    usleep(50000);
}

static pid_t ended_process(void)
{
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

static void open_it(void)
{
    data_directory_close(&d);
    cr_assert(data_directory_open(dir, true, &d, error, sizeof error), "%s", error);
}

static bool is_link(void)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

Test(data_directory, fetches_the_profile_of_an_ended_process)
{
    leave_in_memory(ended_process(), 0);
    open_it();
    struct stat st;
    cr_assert_eq(d.file_count, 1);
    cr_assert_eq(d.files[0].status, DATA_ENDED);
    cr_assert_null(d.files[0].memory);
    cr_assert_not(is_link());
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq((size_t)st.st_size, w.size);
    cr_assert_neq(access(memory, F_OK), 0);
    cr_assert_eq(d.warning_count, 0);
}

Test(data_directory, leaves_a_running_process_alone)
{
    start_child(true);
    open_it();
    cr_assert_eq(d.files[0].status, DATA_LIVE);
    cr_assert(is_link());
    cr_assert_eq(access(memory, F_OK), 0);
    kill(child, SIGKILL);
    usleep(50000); /* a zombie now: nobody has waited for it */
    open_it();
    cr_assert_eq(d.files[0].status, DATA_ENDED);
    cr_assert_not(is_link());
}

Test(data_directory, knows_a_pid_that_was_given_to_another_process)
{
    start_child(true);
    profile_writer_header(&w)->process_start++;
    unlink(path);
    leave_in_memory(child, 0);
    open_it();
    cr_assert_eq(d.files[0].status, DATA_ENDED);
}

Test(data_directory, knows_an_image_that_gave_way_to_another)
{
    start_child(false); /* as after exec of a program that is not measured */
    open_it();
    cr_assert_eq(d.files[0].status, DATA_ENDED);
}

Test(data_directory, takes_a_later_image_as_the_end_of_the_former)
{
    start_child(true);
    char command[300];
    snprintf(command, sizeof command, "cp %s %s/%d-1.pcomp", memory, dir, child);
    cr_assert_eq(system(command), 0);
    open_it();
    cr_assert_eq(d.file_count, 2);
    cr_assert_eq(d.files[0].image, 0);
    cr_assert_eq(d.files[0].status, DATA_ENDED);
}

Test(data_directory, sees_a_process_that_is_just_starting)
{
    start_child(true);
    int fd = open(memory, O_WRONLY);
    char zeros[4096] = "";
    cr_assert_eq(write(fd, zeros, sizeof zeros), sizeof zeros);
    close(fd);
    open_it();
    cr_assert_eq(d.files[0].status, DATA_STARTING);
}

Test(data_directory, tells_a_process_of_another_user_from_one_that_is_starting)
{
    start_child(true);
    cr_assert_eq(chmod(dir, 0755), 0);
    cr_assert_eq(chmod(memory, getuid() ? 0 : 0600), 0); /* root may read anything */
    cr_assert(getuid() || seteuid(65534) == 0);
    open_it();
    cr_assert(getuid() || seteuid(0) == 0);
    cr_assert_eq(d.files[0].status, DATA_DENIED);
}

Test(data_directory, tells_of_memory_that_is_gone)
{
    leave_in_memory(ended_process(), 0);
    unlink(memory);
    open_it();
    cr_assert_eq(d.files[0].status, DATA_GONE);
    cr_assert_str_eq(d.files[0].memory, memory);
}

Test(data_directory, removes_no_file_but_the_librarys)
{
    leave_in_memory(ended_process(), 0);
    unlink(path);
    char other[] = "/tmp/pcomp-other-XXXXXX";
    close(mkstemp(other));
    cr_assert(profile_writer_save(&w, other));
    cr_assert_eq(symlink(other, path), 0);
    open_it();
    cr_assert(is_link());
    cr_assert_eq(access(other, F_OK), 0);
    cr_assert_eq(d.warning_count, 1);
    cr_assert_not_null(strstr(d.warnings[0], "it is not a file of pcomp's memory"), "%s", d.warnings[0]);
    unlink(other);
}

static void stays_in_memory(const char *why)
{
    open_it();
    cr_assert(is_link());
    cr_assert_eq(access(memory, F_OK), 0);
    cr_assert_eq(d.warning_count, 1);
    cr_assert_not_null(strstr(d.warnings[0], why), "%s", d.warnings[0]);
}

Test(data_directory, leaves_what_is_of_another_run)
{
    leave_in_memory(ended_process(), 0);
    write_run("ff112233445566778899aabbccddeeff");
    stays_in_memory("it is not of the directory's run");
}

Test(data_directory, leaves_what_belongs_to_another_user)
{
    if (getuid() != 0)
        cr_skip_test("two users are needed, and only root may be both");
    leave_in_memory(ended_process(), 0); /* root's, in a directory that another user prepared */
    cr_assert_eq(chown(dir, 65534, 65534), 0);
    stays_in_memory("belong to different users");
    cr_assert_eq(lchown(path, 65534, 65534), 0);
    stays_in_memory("belong to different users");
    cr_assert_eq(chown(dir, 0, 0), 0);
    stays_in_memory("belong to different users");
}

Test(data_directory, keeps_mode_and_owner)
{
    struct stat st;
    uid_t owner = getuid() ? getuid() : 65534; /* root fetches for another user */
    leave_in_memory(ended_process(), 0);
    cr_assert_eq(chmod(memory, 0640), 0);
    cr_assert_eq(chown(dir, owner, (gid_t)-1), 0);
    cr_assert_eq(lchown(path, owner, (gid_t)-1), 0);
    cr_assert_eq(chown(memory, owner, (gid_t)-1), 0);
    umask(0);
    open_it();
    cr_assert_not(is_link());
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_mode & 07777, 0640);
    cr_assert_eq(st.st_uid, owner);
}

Test(data_directory, reads_the_run_and_passes_over_other_files)
{
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s &&"
        " touch 7-0.pcomp.bak x-1.pcomp 07-1.pcomp notes .7-0.pcomp.tmp 7-0.pcomp 7-10.pcomp 7-9.pcomp && mkdir sub",
        dir);
    cr_assert_eq(system(command), 0);
    open_it();
    cr_assert_str_eq(d.run_id, RUN);
    cr_assert_eq(d.file_count, 3);
    cr_assert_eq(d.files[1].image, 9);
    cr_assert_eq(d.files[2].image, 10);
}
