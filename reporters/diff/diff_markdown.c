#include "reporters/diff/diff_markdown.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OTHERS      20 /* functions without a significant change */
#define ANNOTATIONS 10 /* which is what GitHub shows of one step */

/* --- Text --------------------------------------------------------------------------------------------------------- */

static size_t longest_run_of(const char *text, char c)
{
    size_t longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* In a code span, within a cell: fences longer than any in it, and bars escaped. */
static void write_name(FILE *out, const char *name)
{
    char *clean = text_clean(name);
    const char *text = clean && *clean ? clean : "?";
    size_t fence = longest_run_of(text, '`') + 1;
    bool space = *text == '`' || text[strlen(text) - 1] == '`';
    for (size_t i = 0; i < fence; i++)
        putc('`', out);
    fputs(space ? " " : "", out);
    for (; *text; text++) {
        fputs(*text == '|' ? "\\" : "", out);
        putc(*text, out);
    }
    fputs(space ? " " : "", out);
    for (size_t i = 0; i < fence; i++)
        putc('`', out);
    free(clean);
}

/* Plain text that cannot become markup: what Markdown and HTML take for such is escaped. */
static void write_plain(FILE *out, const char *text)
{
    char *clean = text_clean(text);
    for (const char *c = clean ? clean : ""; *c; c++) {
        fputs(strchr("\\`*_[]<>|#~", *c) ? "\\" : "", out);
        putc(*c, out);
    }
    free(clean);
}

/* A value of a workflow command: https://github.com/actions/toolkit, packages/core/src/command.ts. */
static void write_escaped(FILE *out, const char *text, bool property)
{
    char *clean = text_clean(text);
    for (const char *c = clean ? clean : ""; *c; c++)
        if (*c == '%' || (property && (*c == ':' || *c == ',')))
            fprintf(out, "%%%02X", (unsigned char)*c);
        else
            putc(*c, out);
    free(clean);
}

static const char *time_and_half(char *text, size_t size, double time, double half)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    if (isnan(time))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%s ± %s", text_time(a, time), text_uncertainty(b, half));
    return text;
}

/* "+3.0 ms ± 0.2 ms". */
static const char *change_and_half(char *text, size_t size, const struct diff_line *line)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    if (isnan(line->change))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%s ± %s", text_time_signed(a, line->change), text_uncertainty(b, line->half));
    return text;
}

static const char *relative_of(char *text, const struct diff_line *line)
{
    if (isnan(line->values[0]))
        return strcpy(text, "new");
    if (isnan(line->values[1]))
        return strcpy(text, "gone");
    return diff_relative(text, line->change, line->values[0], line->halves[0]);
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

static void write_table(FILE *out, const struct diff_document *document, bool significant, size_t max)
{
    char before[120], after[120], change[120], relative[TEXT_NUMBER], share[TEXT_NUMBER];
    size_t shown = 0;
    fputs("| function | before | after | change | of itself | of total |\n|---|--:|--:|--:|--:|--:|\n", out);
    for (size_t i = 0; i < document->count && shown < max; i++) {
        const struct diff_line *line = &document->lines[i];
        const char *bold = significant ? "**" : "";
        if (line->significant != significant)
            continue;
        shown++;
        fputs("| ", out);
        write_name(out, line->name);
        fprintf(out, " | %s | %s | %s%s%s | %s | %s |\n",
                time_and_half(before, sizeof before, line->values[0], line->halves[0]),
                time_and_half(after, sizeof after, line->values[1], line->halves[1]), bold,
                change_and_half(change, sizeof change, line), bold, relative_of(relative, line),
                isnan(line->share) ? "-" : text_percent_signed(share, line->share));
    }
}

static void count_lines(const struct diff_document *document, size_t *slower, size_t *faster)
{
    *slower = *faster = 0;
    for (size_t i = 0; i < document->count; i++)
        if (document->lines[i].significant)
            ++*(document->lines[i].change > 0 ? slower : faster);
}

static void write_markdown(FILE *out, const struct diff_document *document)
{
    static const char *const names[] = {"before", "after"};
    char before[120], after[120], change[120], relative[TEXT_NUMBER];
    const struct diff_line *total = &document->total;
    size_t slower, faster, others;
    count_lines(document, &slower, &faster);
    others = document->count - slower - faster;
    fprintf(out, "### pcomp: %zu function%s slower, %zu faster\n\n", slower, slower == 1 ? "" : "s", faster);
    fprintf(out, "Total: %s before, %s after: %s (%s)%s\n\n",
            time_and_half(before, sizeof before, total->values[0], total->halves[0]),
            time_and_half(after, sizeof after, total->values[1], total->halves[1]),
            change_and_half(change, sizeof change, total), relative_of(relative, total),
            total->significant ? "" : ", not significant");
    if (slower + faster)
        write_table(out, document, true, SIZE_MAX);
    else
        fputs("No function changed significantly.\n", out);
    if (others) {
        fprintf(out, "\n<details><summary>%zu function%s without a significant change", others, others == 1 ? "" : "s");
        if (others > OTHERS)
            fprintf(out, " (%d of them shown)", OTHERS);
        fputs("</summary>\n\n", out);
        write_table(out, document, false, OTHERS);
        fputs("\n</details>\n", out);
    }
    fputs("\n", out);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "- %s: ", names[i]);
        write_plain(out, document->sides[i]);
        putc('\n', out);
    }
    fputs("- significant: ", out);
    write_plain(out, document->rule);
    putc('\n', out);
    for (size_t i = 0; i < document->note_count; i++) {
        fputs("- note: ", out);
        write_plain(out, document->notes[i]);
        putc('\n', out);
    }
}

/* --- Annotations -------------------------------------------------------------------------------------------------- */

/* Path in the repository that was checked out; NULL: it is not in it, and GitHub would not find it. */
static const char *path_in_repository(const char *file)
{
    const char *root = getenv("GITHUB_WORKSPACE");
    char here[4096];
    if (!root || !*root)
        root = getcwd(here, sizeof here);
    size_t length = root ? strlen(root) : 0;
    if (file && *file != '/')
        return file;
    return file && length && !strncmp(file, root, length) && file[length] == '/' ? file + length + 1 : NULL;
}

static void annotate(FILE *out, const struct diff_line *line, const char *what)
{
    char change[120], relative[TEXT_NUMBER], share[TEXT_NUMBER];
    const char *level = line->failed ? "error" : line->change > 0 ? "warning" : "notice";
    const char *path = path_in_repository(line->file);
    fprintf(out, "::%s ", level);
    if (path) {
        fputs("file=", out);
        write_escaped(out, path, true);
        fprintf(out, line->line ? ",line=%u," : ",", line->line);
    }
    fprintf(out, "title=pcomp%%3A %s::", line->change > 0 ? "slower" : "faster");
    write_escaped(out, what, false);
    change_and_half(change, sizeof change, line);
    fprintf(out, ": %s (", change);
    write_escaped(out, relative_of(relative, line), false);
    fputs(" of itself", out);
    if (!isnan(line->share)) {
        fputs(", ", out);
        write_escaped(out, text_percent_signed(share, line->share), false);
        fputs(" of the total", out);
    }
    fputs(")\n", out);
}

static void write_annotations(FILE *out, const struct diff_document *document)
{
    size_t shown = 0;
    if (document->total.significant) {
        annotate(out, &document->total, "the whole program");
        shown++;
    }
    for (int failed = 1; failed >= 0; failed--) /* errors first: no more than some are shown */
        for (size_t i = 0; i < document->count && shown < ANNOTATIONS; i++)
            if (document->lines[i].significant && document->lines[i].failed == (failed == 1)) {
                annotate(out, &document->lines[i], document->lines[i].name);
                shown++;
            }
}

int diff_markdown_write(FILE *out, const struct diff_document *document, bool github)
{
    if (github) {
        write_annotations(out, document);
        fputs("::group::pcomp diff\n", out);
    }
    write_markdown(out, document);
    if (github)
        fputs("::endgroup::\n", out);
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        return message_failure("output: %s (the result is not complete)", errno ? strerror(errno) : "write error");
    return STATUS_DONE;
}
