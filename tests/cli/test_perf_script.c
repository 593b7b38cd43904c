/* Samples as perf writes them. */
#include "reporters/verify/perf_script.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    char text[4096]; /* "address module, ...; " a sample */
    size_t samples;
};

static void see(void *context, const struct perf_frame *frames, size_t count)
{
    struct seen *seen = context;
    seen->samples++;
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(seen->text);
        snprintf(seen->text + used, sizeof seen->text - used, "%llx %s%s", (unsigned long long)frames[i].address,
                 frames[i].module, i + 1 < count ? ", " : "; ");
    }
}

static struct seen read_text(const char *text)
{
    struct seen seen = {"", 0};
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    cr_assert(perf_script_read(in, see, &seen));
    fclose(in);
    return seen;
}

Test(perf_script, gives_samples_with_their_frames)
{
    struct seen seen = read_text("\n\tffffffff8168de77 ([kernel.kallsyms])\n\t            91cc (/tmp/a b)\n"
                                 "\tffffffffffffffff ([unknown])\n\n\n\t            a033 (/tmp/x (deleted))\n\n");
    cr_expect(eq(sz, seen.samples, 2));
    cr_expect(
        eq(str, seen.text,
           "ffffffff8168de77 [kernel.kallsyms], 91cc /tmp/a b, ffffffffffffffff [unknown]; a033 /tmp/x (deleted); "));
}

Test(perf_script, takes_the_offset_in_the_module_where_it_stands)
{
    struct seen seen = read_text("\t 563f92f5b0cc (/a b+0x10cc)\n\t 7f1cb4443ca7 (/x (deleted)+0x29ca7)\n"
                                 "\t 12 (/c++)\n\t 13 (/d+0x)\n\t 14 (/e+0x1g)\n");
    cr_expect(eq(str, seen.text, "10cc /a b, 29ca7 /x (deleted), 12 /c++, 13 /d+0x, 14 /e+0x1g; "));
}

Test(perf_script, keeps_the_last_sample_without_an_empty_line)
{
    cr_expect(eq(str, read_text("\t  12 (/a)\n\t 13 (/b)").text, "12 /a, 13 /b; "));
}

Test(perf_script, passes_over_what_is_no_frame)
{
    struct seen seen = read_text("a line\n12 (/a)\n\t zz (/a)\n\t 12 /a\n\t 12 (\n\t 12\n\n\t 14 (/c)\n");
    cr_expect(eq(str, seen.text, "14 /c; "));
}

Test(perf_script, leaves_out_frames_beyond_the_limit)
{
    char *text = calloc(1, 20 * (PERF_FRAMES_MAX + 9));
    for (int i = 0; i < PERF_FRAMES_MAX + 5; i++)
        strcat(text, "\t 1 (/a)\n");
    strcat(text, "\n\t 2 (/b)\n");
    struct seen seen = read_text(text);
    cr_expect(eq(sz, seen.samples, 2));
    cr_expect(ne(ptr, strstr(seen.text, "; 2 /b; "), NULL));
    free(text);
}
