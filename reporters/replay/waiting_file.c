#include "reporters/replay/waiting_file.h"

#include "compensation/numeric/array.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "pcomp-waiting 1"
enum { DEPTH_SHOWN = 64, FIELDS = 7 };

/* --- Writing --------------------------------------------------------------------------------------------------------
 */

static void write_name(FILE *f, const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == '\\')
            fprintf(f, "\\x%02x", (unsigned char)*name);
        else
            fputc(*name, f);
}

/* The functions from the root to a node, outermost first; of very deep ones the outer are left out. */
static size_t path_of(const struct path_tree *tree, uint32_t node, uint64_t values[DEPTH_SHOWN])
{
    size_t count = 0;
    for (; node != PATH_ROOT && node != PATH_BEYOND && count < DEPTH_SHOWN; node = tree->nodes[node].parent)
        values[DEPTH_SHOWN - ++count] = tree->nodes[node].function;
    memmove(values, values + DEPTH_SHOWN - count, count * sizeof *values);
    return count;
}

/* Makes the functions of all rows known, so that they are resolved at once. */
static bool find_names(const struct trace_directory *traces, const struct replay_outcome *outcome,
                       struct trace_functions *functions)
{
    uint64_t values[DEPTH_SHOWN];
    for (uint32_t l = 0; l < traces->count; l++) {
        const struct path_tree *tree = &outcome->trees[l];
        for (uint32_t i = 0; i < tree->wait_count; i++) {
            size_t count = path_of(tree, tree->waits[i].node, values);
            for (size_t k = 0; k < count; k++)
                if (trace_functions_find(functions, traces->locations[l].process, values[k]) == UINT32_MAX)
                    return false;
        }
    }
    return trace_functions_resolve(functions, NULL, NULL);
}

static void write_row(FILE *f, const struct trace_directory *traces, uint32_t location, const struct path_tree *tree,
                      const struct path_wait *wait, struct trace_functions *functions)
{
    uint64_t values[DEPTH_SHOWN];
    size_t count = path_of(tree, wait->node, values);
    const char *names[DEPTH_SHOWN + 1] = {""};
    double fixed_ns = traces->tick_ns / 1024;
    for (size_t k = 0; k < count; k++)
        names[k] = trace_functions_name(
            functions, trace_functions_find(functions, traces->locations[location].process, values[k]));
    fprintf(f, "%s\t%s\t%" PRIu64 "\t%.3f\t%.3f\t", replay_wait_name(wait->kind), traces->locations[location].name,
            wait->count, (double)wait->measured * fixed_ns, (double)wait->approximated * fixed_ns);
    write_name(f, names[count ? count - 1 : 0]);
    fputc('\t', f);
    for (size_t k = 0; k < count; k++) {
        fputs(k ? " > " : "", f);
        write_name(f, names[k]);
    }
    fputc('\n', f);
}

bool waiting_file_write(const char *dir, const struct trace_directory *traces, const struct replay_outcome *outcome,
                        struct trace_functions *functions, bool append, char *error, size_t error_size)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/waiting", dir);
    if (!find_names(traces, outcome, functions)) {
        snprintf(error, error_size, "%s: out of memory", path);
        return false;
    }
    FILE *f = fopen(path, append ? "ae" : "wxe");
    bool ok = f && (append || fprintf(f, FIRST_LINE "\n") > 0);
    for (uint32_t l = 0; ok && l < traces->count; l++)
        for (uint32_t i = 0; i < outcome->trees[l].wait_count; i++)
            write_row(f, traces, l, &outcome->trees[l], &outcome->trees[l].waits[i], functions);
    ok = ok && !ferror(f);
    if (f && fclose(f) != 0)
        ok = false;
    if (!ok)
        snprintf(error, error_size, "%s: cannot be written: %s", path, strerror(errno));
    return ok;
}

/* --- Reading --------------------------------------------------------------------------------------------------------
 */

/* Takes \xHH back, in place. */
static void read_name(char *name)
{
    char *to = name;
    for (; *name; to++)
        if (name[0] == '\\' && name[1] == 'x' && isxdigit((unsigned char)name[2]) && isxdigit((unsigned char)name[3])) {
            char digits[] = {name[2], name[3], 0};
            *to = (char)strtoul(digits, NULL, 16);
            name += 4;
        } else {
            *to = *name++;
        }
    *to = 0;
}

static char *copy_name(const char *text)
{
    char *copy = strdup(text);
    if (copy)
        read_name(copy);
    return copy;
}

/* False: the line is none (errno 0), or out of memory. */
static bool read_row(char *line, struct waiting_row *row)
{
    char *fields[FIELDS], *end;
    size_t count = 0;
    errno = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *field; count < FIELDS && (field = strsep(&line, "\t"));)
        fields[count++] = field;
    if (count < FIELDS || line)
        return false;
    row->count = strtoull(fields[2], &end, 10);
    bool numbers = *fields[2] && !*end;
    row->measured = strtod(fields[3], &end);
    numbers &= *fields[3] && !*end && isfinite(row->measured);
    row->approximated = strtod(fields[4], &end);
    numbers &= *fields[4] && !*end && isfinite(row->approximated);
    if (!numbers)
        return false;
    row->kind = copy_name(fields[0]);
    row->location = copy_name(fields[1]);
    row->function = copy_name(fields[5]);
    row->path = copy_name(fields[6]);
    return row->kind && row->location && row->function && row->path;
}

static void row_free(struct waiting_row *row)
{
    free(row->kind);
    free(row->location);
    free(row->function);
    free(row->path);
}

static int compare_rows(const void *a, const void *b)
{
    const struct waiting_row *x = a, *y = b;
    if (x->measured != y->measured)
        return x->measured > y->measured ? -1 : 1;
    int order = strcmp(x->location, y->location);
    order = order ? order : strcmp(x->kind, y->kind);
    return order ? order : strcmp(x->path, y->path);
}

static bool read_rows(FILE *f, struct waiting_table *table, char **line, size_t *line_size)
{
    size_t room = 0;
    while (getline(line, line_size, f) > 0) {
        if (!ARRAY_ROOM(table->rows, table->count, room))
            return false;
        struct waiting_row *row = &table->rows[table->count];
        *row = (struct waiting_row){0};
        table->count++;
        if (!read_row(*line, row))
            return false;
    }
    return !ferror(f);
}

bool waiting_file_read(const char *dir, struct waiting_table *table, char *error, size_t error_size)
{
    char path[4300], *line = NULL;
    size_t line_size = 0;
    snprintf(path, sizeof path, "%s/waiting", dir);
    *table = (struct waiting_table){0};
    FILE *f = fopen(path, "re");
    if (!f) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    errno = 0;
    bool ok =
        getline(&line, &line_size, f) > 0 && !strcmp(line, FIRST_LINE "\n") && read_rows(f, table, &line, &line_size);
    int why = errno;
    fclose(f);
    free(line);
    if (!ok) {
        snprintf(error, error_size, "%s: line %zu: %s", path, table->count + 1,
                 why ? strerror(why) : "is not one of a waiting file (replay again)");
        waiting_table_free(table);
        return false;
    }
    if (table->count)
        qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    return true;
}

void waiting_table_free(struct waiting_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        row_free(&table->rows[i]);
    free(table->rows);
    *table = (struct waiting_table){0};
}
