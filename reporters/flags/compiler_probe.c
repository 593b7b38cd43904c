#include "reporters/flags/compiler_probe.h"

#include "reporters/base/message.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/launch/run_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#define ANSWER_MAX      (4u << 20) /* bytes that are read of what a compiler writes */
#define ARGUMENTS_MAX   64
#define PROBE_TEXT      "int pcomp_probe(int value) { return value + 1; } int main(void) { return pcomp_probe(-1); }\n"
#define NEED_A_COMPILER "name a C or C++ compiler, as in: pcomp flags gcc"

/* --- Running it --------------------------------------------------------------------------------------------------- */

/* "SCRATCH/NAME", malloc'ed. */
static char *scratch_path(const struct compiler *compiler, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", compiler->scratch, name) < 0 ? NULL : path;
}

static char *scratch_read(const char *path)
{
    char *text = calloc(1, ANSWER_MAX);
    FILE *file = path ? fopen(path, "re") : NULL;
    if (file && text)
        text[fread(text, 1, ANSWER_MAX - 1, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

static bool redirect(const char *path, int flags, int descriptor)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd >= 0 && dup2(fd, descriptor) >= 0;
}

/* In the child. Texts are parsed, so they must be in English; paths of the environment are not the compiler's own. */
static void compiler_exec(char *const *arguments, const char *out, const char *err)
{
    if (redirect("/dev/null", O_RDONLY, STDIN_FILENO) && redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO) &&
        redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO)) {
        setenv("LC_ALL", "C", 1);
        unsetenv("CPATH");
        unsetenv("C_INCLUDE_PATH");
        unsetenv("CPLUS_INCLUDE_PATH");
        execv(arguments[0], arguments);
    }
    _exit(127);
}

void compiler_ask(const struct compiler *compiler, const char *const *arguments, struct compiler_answer *answer)
{
    char *out = scratch_path(compiler, "out"), *err = scratch_path(compiler, "err");
    char **all = calloc(compiler->word_count + ARGUMENTS_MAX + 1, sizeof *all);
    size_t count = 0;
    int status = -1;
    *answer = (struct compiler_answer){0};
    for (size_t i = 0; all && i < compiler->word_count; i++)
        all[count++] = compiler->words[i];
    for (size_t i = 0; all && arguments[i] && i < ARGUMENTS_MAX; i++)
        all[count++] = (char *)arguments[i];
    pid_t child = all && out && err ? fork() : -1;
    if (child == 0)
        compiler_exec(all, out, err);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    answer->good = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    answer->out = scratch_read(out);
    answer->err = scratch_read(err);
    free(out);
    free(err);
    free(all);
}

void compiler_answer_free(struct compiler_answer *answer)
{
    free(answer->out);
    free(answer->err);
    *answer = (struct compiler_answer){0};
}

/* The first line with "error" of what the compiler wrote, else its first line: what follows is detail. */
static void first_complaint(const struct compiler_answer *answer, char *why)
{
    const char *text = answer->err ? answer->err : "", *error = strstr(text, "error");
    const char *begin = error ? error : text;
    while (begin > text && begin[-1] != '\n')
        begin--;
    size_t length = strcspn(begin, "\n");
    if (length)
        snprintf(why, COMPILER_WHY, "%.*s", (int)length, begin);
    else
        snprintf(why, COMPILER_WHY, "it failed and did not say why");
}

bool compiler_try(const struct compiler *compiler, const char *const *options, struct module_sites *sites, char *why)
{
    const char *arguments[ARGUMENTS_MAX] = {"-w"};
    size_t count = 1;
    for (size_t i = 0; options[i] && count < ARGUMENTS_MAX - 8; i++)
        arguments[count++] = options[i];
    if (compiler->clang || compiler->gnu)
        arguments[count++] = "-fno-lto"; /* of bytecode, nothing could be told */
    arguments[count++] = "-c";
    arguments[count++] = compiler->probe;
    arguments[count++] = "-o";
    struct compiler_answer answer;
    char *object = scratch_path(compiler, "probe.o");
    *why = 0;
    if (!object)
        return false;
    arguments[count++] = object;
    unlink(object);
    compiler_ask(compiler, arguments, &answer);
    bool good = answer.good && module_sites_read(sites, object);
    if (!answer.good)
        first_complaint(&answer, why);
    else if (!good)
        snprintf(why, COMPILER_WHY, "%s",
                 access(object, F_OK) ? "it wrote no object file" : "what it writes is no ELF file");
    compiler_answer_free(&answer);
    free(object);
    return good;
}

/* --- What it is --------------------------------------------------------------------------------------------------- */

/* Whether `macros` ("#define NAME VALUE" a line) has one; its value as a number. */
static bool is_defined(const char *macros, const char *name, unsigned *value)
{
    size_t length = strlen(name);
    for (const char *at = macros; (at = strstr(at, "#define ")); at++) {
        const char *found = at + strlen("#define ");
        if ((at == macros || at[-1] == '\n') && !strncmp(found, name, length) && found[length] == ' ') {
            if (value)
                *value = (unsigned)strtoul(found + length, NULL, 10);
            return true;
        }
    }
    return false;
}

/* A driver for C++ preprocesses NAME.c as C++, one for C as C. False after a message. */
static bool compiler_identify(struct compiler *compiler)
{
    const char *const dump[] = {"-w", "-dM", "-E", compiler->probe, NULL};
    static const char *const nothing[] = {NULL};
    struct compiler_answer answer;
    struct module_sites sites;
    char why[COMPILER_WHY];
    compiler_ask(compiler, dump, &answer);
    if (answer.good && answer.out) {
        compiler->clang = is_defined(answer.out, "__clang__", NULL);
        compiler->gnu = !compiler->clang && is_defined(answer.out, "__GNUC__", &compiler->major);
        compiler->cplusplus = is_defined(answer.out, "__cplusplus", NULL);
        compiler->x86_64 = is_defined(answer.out, "__x86_64__", NULL) && !is_defined(answer.out, "__ILP32__", NULL);
    }
    compiler_answer_free(&answer); /* some compilers know no -dM: they are neither of the two */
    if (compiler_try(compiler, nothing, &sites, why))
        return true;
    message_failure("%s: cannot compile a one-line program: %s (" NEED_A_COMPILER ")", compiler->text, why);
    return false;
}

/* "ccache gcc -m32" as the shell splits it; a path with blanks is one word. */
static bool compiler_split(struct compiler *compiler)
{
    wordexp_t split = {0};
    char *path = run_find(compiler->text);
    if (path) {
        compiler->words = calloc(2, sizeof *compiler->words);
        if (compiler->words)
            compiler->words[compiler->word_count++] = path;
        else
            free(path);
        return compiler->words || message_no_memory("flags") < 0;
    }
    int failed = wordexp(compiler->text, &split, WRDE_NOCMD);
    if (failed || !split.we_wordc) {
        if (!failed)
            wordfree(&split);
        message_failure("%s: cannot be read as a command (" NEED_A_COMPILER ")",
                        *compiler->text ? compiler->text : "flags ''");
        return false;
    }
    compiler->words = calloc(split.we_wordc + 1, sizeof *compiler->words);
    for (size_t i = 0; compiler->words && i < split.we_wordc; i++) {
        compiler->words[i] = i ? strdup(split.we_wordv[i]) : run_find(split.we_wordv[i]);
        compiler->word_count += compiler->words[i] != NULL;
        if (!compiler->words[i])
            break;
    }
    bool good = compiler->word_count == split.we_wordc;
    if (!good && compiler->words && !compiler->word_count)
        message_failure("%s: %s (" NEED_A_COMPILER ")", split.we_wordv[0],
                        errno == EACCES ? "is not executable" : "not found");
    else if (!good)
        message_no_memory("flags");
    wordfree(&split);
    return good;
}

bool compiler_open(struct compiler *compiler, const char *text)
{
    *compiler = (struct compiler){.text = text};
    if (!compiler_split(compiler))
        return false;
    compiler->scratch = scratch_dir_make();
    compiler->probe = compiler->scratch ? scratch_path(compiler, "probe.c") : NULL;
    FILE *file = compiler->probe ? fopen(compiler->probe, "we") : NULL;
    bool good = file && fputs(PROBE_TEXT, file) >= 0;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        message_failure("%s: no file can be made there: %s (set TMPDIR)",
                        compiler->scratch ? compiler->scratch : "TMPDIR", strerror(errno));
    return good && compiler_identify(compiler);
}

void compiler_close(struct compiler *compiler)
{
    for (size_t i = 0; i < compiler->word_count; i++)
        free(compiler->words[i]);
    free(compiler->words);
    free(compiler->probe);
    scratch_dir_remove(compiler->scratch);
    *compiler = (struct compiler){0};
}
