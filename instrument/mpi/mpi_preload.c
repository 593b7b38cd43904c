/* Preloaded by `pcomp record` into every process, of which most have no MPI: which MPI there is, if any, is known only
 * in the process, and preloading a library for each would drag that MPI into all of them.
 *
 * This one has the names of all wrapped functions. The first call of one looks which MPI is loaded, and which library
 * of ours belongs to it: the one that the program was linked with, or the one installed beside this one. It goes on
 * there, or in the MPI itself where that cannot be (the program then runs as if this were not here). Arguments differ
 * between MPIs (a communicator is an int or a pointer), so they are left where they are and passed on by a jump. */
#include "instrument/arguments.h"
#include "instrument/mpi/mpi_names.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(function) "MPI_" #function,
static const char *const names[] = {MPI_NAMES(NAME)};
enum { NAMES = sizeof names / sizeof *names };

/* Where calls go; NULL: not looked up yet. Used by the assembler below. */
void *preload_targets[NAMES] __attribute__((visibility("hidden")));
void *preload_target(uint32_t index) __attribute__((visibility("hidden"), used));

#define VERSION_TEXT 8192 /* the longest of MPI_MAX_LIBRARY_VERSION_STRING */

/* "mpich" or "openmpi": whose types the loaded MPI has; NULL neither. The call is allowed at any time, and the same in
 * all MPIs. */
static const char *mpi_name(void)
{
    static const char *const of_mpich[] = {"MPICH", "MVAPICH", "Intel(R) MPI"};
    char text[VERSION_TEXT] = "";
    int length = 0, (*version)(char *, int *);
    *(void **)&version = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
    if (!version || version(text, &length) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof of_mpich / sizeof *of_mpich; i++)
        if (!strncmp(text, of_mpich[i], strlen(of_mpich[i])))
            return "mpich";
    return strncmp(text, "Open MPI", 8) == 0 ? "openmpi" : NULL;
}

/* False: the program has a libpcomp.a of its own, which our library would not reach. */
static bool hooks_are_in_the_library(void)
{
    Dl_info hook, trace;
    void *address = dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter"), *event = dlsym(RTLD_DEFAULT, "pcomp_trace_event");
    return address && event && dladdr(address, &hook) && dladdr(event, &trace) && hook.dli_fbase == trace.dli_fbase;
}

static void *library_load(const char *mpi)
{
    char path[4096];
    Dl_info self;
    snprintf(path, sizeof path, "libpcomp-%s.so.0", mpi);
    void *linked = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (linked)
        return linked;
    if (!dladdr((void *)preload_targets, &self) || !strrchr(self.dli_fname, '/'))
        return NULL;
    int directory = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
    if ((size_t)snprintf(path, sizeof path, "%.*s/" PCOMP_PRELOAD_TO_LIB "/libpcomp-%s.so.0", directory, self.dli_fname,
                         mpi) >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Finds the MPI that the program has loaded for itself alone (RTLD_LOCAL). */
static int find_local(struct dl_phdr_info *object, size_t size, void *found)
{
    const char *name = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    (void)size;
    if (!name || strncmp(name, "/libmpi", 7) != 0)
        return 0;
    void *handle = dlopen(object->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
    if (handle && dlsym(handle, "PMPI_Init"))
        *(void **)found = handle;
    return *(void **)found != NULL;
}

void *preload_target(uint32_t index)
{
    static void *library, *local;
    static bool looked;
    int kept = errno;
    if (!looked) {
        const char *mpi = mpi_name();
        if (mpi && hooks_are_in_the_library())
            library = library_load(mpi);
        if (!mpi)
            dl_iterate_phdr(find_local, &local);
        looked = true;
    }
    void *target = library ? dlsym(library, names[index]) : NULL;
    if (!target)
        target = local ? dlsym(local, names[index]) : dlsym(RTLD_NEXT, names[index]);
    if (!target) {
        fprintf(stderr, "pcomp: %s: no MPI is loaded that has it\n", names[index]);
        abort();
    }
    __atomic_store_n(&preload_targets[index], target, __ATOMIC_RELEASE);
    errno = kept;
    return target;
}

/* Every function leaves its number in a register that is free at a call, and goes on to preload_jump. */
#if defined(__x86_64__)
#define ENTRY(function)                                                                                                \
    ".globl MPI_" #function "\n.type MPI_" #function ", @function\nMPI_" #function ":\n"                               \
    "endbr64\n"                                                                                                        \
    "movl $preload_number, %r11d\n"                                                                                    \
    "jmp preload_jump\n"                                                                                               \
    ".size MPI_" #function ", . - MPI_" #function "\n"                                                                 \
    ".set preload_number, preload_number + 1\n"
__asm__(".text\n.set preload_number, 0\n" MPI_NAMES(ENTRY) ".p2align 4\npreload_jump:\n"
                                                           ".cfi_startproc\n"
                                                           "leaq preload_targets(%rip), %r10\n"
                                                           "movq (%r10, %r11, 8), %r10\n"
                                                           "testq %r10, %r10\n"
                                                           "jz 1f\n"
                                                           "jmp *%r10\n"
                                                           "1: " PUSH_ARGUMENTS "push %rax\n.cfi_adjust_cfa_offset 8\n"
                                                           "movl %r11d, %edi\n"
                                                           "call preload_target\n"
                                                           "movq %rax, %r10\n"
                                                           "pop %rax\n.cfi_adjust_cfa_offset -8\n" POP_ARGUMENTS
                                                           "jmp *%r10\n"
                                                           ".cfi_endproc\n");
#elif defined(__aarch64__)
#define ENTRY(function)                                                                                                \
    ".globl MPI_" #function "\n.type MPI_" #function ", %function\nMPI_" #function ":\n"                               \
    "hint #34\n" /* bti c */                                                                                           \
    "mov w17, #preload_number\n"                                                                                       \
    "b preload_jump\n"                                                                                                 \
    ".size MPI_" #function ", . - MPI_" #function "\n"                                                                 \
    ".set preload_number, preload_number + 1\n"
__asm__(".text\n.set preload_number, 0\n" MPI_NAMES(
    ENTRY) ".p2align 4\npreload_jump:\n"
           ".cfi_startproc\n"
           "adrp x16, preload_targets\n"
           "add x16, x16, :lo12:preload_targets\n"
           "ldr x16, [x16, w17, uxtw #3]\n"
           "cbz x16, 1f\n"
           "br x16\n"
           "1: stp x29, x30, [sp, #-80]!\n.cfi_adjust_cfa_offset 80\n.cfi_offset 30, -72\n.cfi_offset 29, -80\n"
           "stp x0, x1, [sp, #16]\n"
           "stp x2, x3, [sp, #32]\n"
           "stp x4, x5, [sp, #48]\n"
           "stp x6, x7, [sp, #64]\n"
           "mov w0, w17\n"
           "bl preload_target\n"
           "mov x16, x0\n"
           "ldp x0, x1, [sp, #16]\n"
           "ldp x2, x3, [sp, #32]\n"
           "ldp x4, x5, [sp, #48]\n"
           "ldp x6, x7, [sp, #64]\n"
           "ldp x29, x30, [sp], #80\n.cfi_adjust_cfa_offset -80\n.cfi_restore 30\n.cfi_restore 29\n"
           "br x16\n"
           ".cfi_endproc\n");
#else
#error "no way to pass a call on is known for this processor: leave this library out"
#endif
