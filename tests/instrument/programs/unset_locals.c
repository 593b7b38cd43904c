/* Locals of `main` that it never set, which some programs read (tinyscheme 1.42): they hold nothing that points into
 * the library's code or data, which ran on this stack before, but for the program's own calls of what the library
 * interposes (expect.h). Its tables of symbols are what the dynamic linker reads. */
#include "expect.h"

#include <dlfcn.h>
#include <link.h>

#define WORDS 2000
#define HOOK  512 /* bytes of the program's stack that main's own hook may use */

/* Whether `word` lies in the segment that begins the library's file, where the tables are. */
static PLAIN int is_in_tables(struct dl_phdr_info *info, size_t size, void *word)
{
    uintptr_t distance = *(uintptr_t *)word - info->dlpi_addr;
    (void)size;
    return strstr(info->dlpi_name, "libpcomp") && distance < info->dlpi_phdr[0].p_filesz &&
           !(info->dlpi_phdr[0].p_flags & PF_X);
}

static PLAIN int is_of_library(uintptr_t word)
{
    Dl_info found;
    return dladdr((void *)word, &found) && strstr(found.dli_fname, "libpcomp") &&
           !dl_iterate_phdr(is_in_tables, &word) && !(found.dli_sname && strcmp(found.dli_sname, "sigaction") == 0);
}

int main(void)
{
    volatile uintptr_t unset[WORDS];
    int left = 0;
    __asm__ volatile("" : "=m"(unset));
    COUNT();
    for (volatile uintptr_t *word = unset; (char *)word < (char *)__builtin_frame_address(0) - HOOK; word++)
        left += is_of_library(*word);
    if (left)
        fprintf(stderr, "%d words of main's unset locals point into the library\n", left);
    CHECK(left == 0);
    expect_counts();
    return expect_failed;
}
