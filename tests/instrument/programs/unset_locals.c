/* Locals of `main` that it never set, which some programs read (tinyscheme 1.42): they hold nothing that points into
 * the library, which ran on this stack before, but for the program's own calls of what the library interposes
 * (expect.h). */
#include "expect.h"

#include <dlfcn.h>

#define WORDS 2000
#define HOOK  512 /* bytes of the program's stack that main's own hook may use */

static PLAIN int is_of_library(uintptr_t word)
{
    Dl_info found;
    return dladdr((void *)word, &found) && strstr(found.dli_fname, "libpcomp") &&
           !(found.dli_sname && strcmp(found.dli_sname, "sigaction") == 0);
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
