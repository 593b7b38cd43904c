#include "reporters/flags/system_headers.h"

#include "reporters/base/message.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTION          "-finstrument-functions-exclude-file-list="
#define DIRECTORIES_MAX 64
#define BEGIN           "#include <...> search starts here:\n"
#define END             "End of search list."

struct directories {
    char *texts[DIRECTORIES_MAX]; /* each with a slash at the end */
    size_t count;
};

/* -Idir, -I dir, -isystem dir: the user's, and to be measured. */
static bool is_argument(const struct compiler *compiler, const char *directory)
{
    size_t length = strlen(directory);
    for (size_t i = 1; i < compiler->word_count; i++) {
        size_t end = strlen(compiler->words[i]);
        while (end && compiler->words[i][end - 1] == '/')
            end--;
        if (end >= length && !memcmp(compiler->words[i] + end - length, directory, length))
            return true;
    }
    return false;
}

static bool is_working_directory_below(const char *text)
{
    char path[PATH_MAX + 2];
    const char *logical = getenv("PWD");
    if (getcwd(path, PATH_MAX)) {
        strcat(path, "/");
        if (strstr(path, text))
            return true;
    }
    if (!logical || strlen(logical) >= PATH_MAX)
        return false;
    sprintf(path, "%s/", logical);
    return strstr(path, text) != NULL;
}

static void directories_add(struct directories *directories, const char *directory)
{
    char *text = NULL;
    if (directories->count == DIRECTORIES_MAX || asprintf(&text, "%s/", directory) < 0)
        return;
    if (text[strcspn(text, " \t,\\'\"`$&;|<>(){}*?[]!#~%")]) {
        message_note("%s: its functions are not left out: the name cannot be given in " OPTION, directory);
        free(text);
    } else if (is_working_directory_below(text)) {
        message_note("%s: its functions are not left out: the working directory's name contains it, too", directory);
        free(text);
    } else
        directories->texts[directories->count++] = text;
}

/* The lines between BEGIN and END. gcc names a header by the directory as it searches it, or by its shorter real name.
 */
static void directories_read(struct directories *directories, const struct compiler *compiler, char *listing)
{
    char *at = strstr(listing, BEGIN), *end = at ? strstr(at, END) : NULL, real[PATH_MAX];
    if (!end)
        return;
    *end = 0;
    for (char *line = strtok(at + strlen(BEGIN), "\n"); line; line = strtok(NULL, "\n")) {
        line += strspn(line, " ");
        for (size_t length = strlen(line); length > 1 && line[length - 1] == '/';)
            line[--length] = 0;
        if (*line != '/' || !line[1] || is_argument(compiler, line))
            continue;
        directories_add(directories, line);
        if (realpath(line, real) && strcmp(real, line) != 0)
            directories_add(directories, real);
    }
}

static bool is_redundant(const struct directories *directories, size_t i)
{
    for (size_t k = 0; k < directories->count; k++)
        if (k != i && strstr(directories->texts[i], directories->texts[k]) &&
            (k < i || strcmp(directories->texts[i], directories->texts[k]) != 0))
            return true;
    return false;
}

char *system_headers_exclusion(const struct compiler *compiler)
{
    const char *const verbose[] = {"-E", "-v", compiler->probe, NULL};
    struct directories directories = {.count = 0};
    struct compiler_answer answer;
    char *option = NULL;
    size_t size;
    compiler_ask(compiler, verbose, &answer);
    if (answer.good && answer.err)
        directories_read(&directories, compiler, answer.err);
    compiler_answer_free(&answer);
    FILE *out = directories.count ? open_memstream(&option, &size) : NULL;
    const char *before = OPTION;
    for (size_t i = 0; out && i < directories.count; i++)
        if (!is_redundant(&directories, i)) {
            fprintf(out, "%s%s", before, directories.texts[i]);
            before = ",";
        }
    if (out)
        fclose(out);
    for (size_t i = 0; i < directories.count; i++)
        free(directories.texts[i]);
    return option;
}
