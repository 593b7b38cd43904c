/* pcomp flags: the arguments with which a compiler builds a program that can be measured. */
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/cmd/command.h"
#include "reporters/flags/link_options.h"
#include "reporters/flags/site_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ALTERNATIVE "compile with gcc or clang, or mark regions with pcomp.h"

/* A path with a blank would be two words in $(...). */
static int flags_check_words(const char *text)
{
    return text[strcspn(text, " \t\n")]
               ? message_failure(
                     "%s: the name contains white space, which $(...) cannot pass on (install pcomp elsewhere)", text)
               : STATUS_DONE;
}

static int flags_print_link(const struct compiler *compiler, const struct site_options *sites)
{
    struct link_options link;
    int status = link_options_find(&link, compiler, sites) ? flags_check_words(link.directory) : STATUS_BAD;
    if (status == STATUS_DONE)
        link_options_print(&link, sites);
    link_options_free(&link);
    return status;
}

/* A fallback is told where the sources are compiled; the call for the linker would say it again. */
static int flags_print_compile(const struct compiler *compiler, const struct site_options *sites)
{
    for (size_t i = 0; i < sites->count; i++)
        if (flags_check_words(sites->texts[i]))
            return STATUS_BAD;
    if (*sites->why_no_sleds)
        message_note("%s: hook calls instead of sleds: %s", compiler->text, sites->why_no_sleds);
    for (size_t i = 0; i < sites->count; i++)
        printf("%s%s", i ? " " : "", sites->texts[i]);
    return STATUS_DONE;
}

static int flags_print(const struct compiler *compiler, bool hooks_only, bool link)
{
    struct site_options sites;
    int status;
    if (!site_options_choose(&sites, compiler, hooks_only))
        status = message_no_memory("flags");
    else if (sites.form == SITES_NONE)
        status = hooks_only ? message_failure("%s: leaves no hook calls: %s (" ALTERNATIVE ")", compiler->text,
                                              sites.why_no_hooks)
                            : message_failure("%s: leaves no sleds (%s) and no hook calls: %s (" ALTERNATIVE ")",
                                              compiler->text, sites.why_no_sleds, sites.why_no_hooks);
    else
        status = link ? flags_print_link(compiler, &sites) : flags_print_compile(compiler, &sites);
    site_options_free(&sites);
    if (status == STATUS_DONE && (putchar('\n') == EOF || fflush(stdout) != 0))
        status = message_failure("standard output: %s", strerror(errno));
    return status;
}

static bool hooks_only_given, link_given;
static const struct option_spec specs[] = {
    {"--hooks", 0, OPTION_FLAG, NULL, "hook calls, also where CC can leave sleds", &hooks_only_given, NULL},
    {"--link", 0, OPTION_FLAG, NULL, "the arguments of the link instead", &link_given, NULL},
    {0},
};

static int flags_run(const struct operands *operands)
{
    struct compiler compiler;
    int status = compiler_open(&compiler, operands->count ? operands->texts[0] : "cc")
                     ? flags_print(&compiler, hooks_only_given, link_given)
                     : STATUS_BAD;
    compiler_close(&compiler);
    return status;
}

const struct command_usage cmd_flags = {
    .command = "flags",
    .summary = "the compiler's arguments for a program to be measured",
    .synopsis = "[CC] [--hooks] [--link]",
    .purpose = "Prints the arguments with which CC (cc) builds a program to be measured, on one line for $(...).",
    .options = specs,
    .operands_max = 1,
    .operands = "one compiler, its arguments in the same word: \"ccache gcc -m64\"",
    .run = flags_run,
};
