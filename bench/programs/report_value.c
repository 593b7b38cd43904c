/* Reads the JSON of `pcomp report --view flat --format json` for the bench scripts.
 *
 *   report_value calls FILE            a line "N NAME" a function
 *   report_value get FILE KEY[.KEY]... ...   the numbers or texts, a line each
 *   report_value function FILE NAME    "N open raw-inclusive compensated-inclusive", summed over functions of that name
 *   report_value functions FILE        a line "N M L raw-inclusive raw-exclusive compensated-inclusive
 *                                      compensated-exclusive NAME" a function
 *   report_value estimates FILE        a line "N uncertainty-of-N exclusive inclusive NAME" a function; exclusive is of
 *                                      computing where the report has that; inclusive with what hook calls cost as
 *                                      no-ops, by the function's part of all overhead; what is null is 0
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int print_calls(const json_t *report)
{
    size_t index;
    const json_t *function;
    json_array_foreach(json_object_get(report, "functions"), index, function)
        printf("%.0f %s\n", json_number_value(json_object_get(function, "N")),
               json_string_value(json_object_get(function, "name")));
    return 0;
}

static double member(const json_t *function, const char *object, const char *key)
{
    return json_number_value(json_object_get(json_object_get(function, object), key));
}

static int print_functions(const json_t *report)
{
    size_t index;
    const json_t *function;
    json_array_foreach(json_object_get(report, "functions"), index, function)
    {
        for (const char *const *key = (const char *const[]){"N", "M", "L", NULL}; *key; key++)
            printf("%.0f ", json_number_value(json_object_get(function, *key)));
        printf("%.1f %.1f %.1f %.1f %s\n", member(function, "raw", "inclusive"), member(function, "raw", "exclusive"),
               member(function, "compensated", "inclusive"), member(function, "compensated", "exclusive"),
               json_string_value(json_object_get(function, "name")));
    }
    return 0;
}

static int print_estimates(const json_t *report)
{
    size_t index;
    const json_t *function;
    double overhead = member(report, "total", "overhead"), sites = member(report, "counting", "sites");
    double sites_part = overhead > 0 ? sites / overhead : 0;
    json_array_foreach(json_object_get(report, "functions"), index, function)
    {
        bool parted = json_is_number(json_object_get(json_object_get(function, "computing"), "exclusive"));
        printf("%.0f %.0f %.1f %.1f %s\n", json_number_value(json_object_get(function, "N")),
               json_number_value(json_object_get(function, "calls_uncertainty")),
               member(function, parted ? "computing" : "compensated", "exclusive"),
               member(function, "compensated", "inclusive") + sites_part * member(function, "overhead", "inclusive"),
               json_string_value(json_object_get(function, "name")));
    }
    return 0;
}

static int print_value(const json_t *report, char *path)
{
    for (char *key = strtok(path, "."); key; key = strtok(NULL, "."))
        report = json_object_get(report, key);
    if (json_is_string(report))
        printf("%s\n", json_string_value(report));
    else if (json_is_number(report))
        printf("%.3f\n", json_number_value(report));
    else
        return 1;
    return 0;
}

static int print_function(const json_t *report, const char *name)
{
    size_t index;
    const json_t *function;
    double calls = 0, open = 0, raw = 0, compensated = 0;
    json_array_foreach(json_object_get(report, "functions"), index, function)
    {
        const char *found = json_string_value(json_object_get(function, "name"));
        if (!found || strcmp(found, name))
            continue;
        calls += json_number_value(json_object_get(function, "N"));
        open += json_number_value(json_object_get(function, "open"));
        raw += member(function, "raw", "inclusive");
        compensated += member(function, "compensated", "inclusive");
    }
    printf("%.0f %.0f %.1f %.1f\n", calls, open, raw, compensated);
    return 0;
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc < 3) {
        fprintf(stderr, "usage: report_value calls|functions|estimates|get|function FILE [KEY|NAME]\n");
        return 2;
    }
    json_t *report = json_load_file(argv[2], 0, &error);
    if (!report) {
        fprintf(stderr, "report_value: %s:%d: %s\n", argv[2], error.line, error.text);
        return 1;
    }
    int status = 2;
    if (!strcmp(argv[1], "calls"))
        status = print_calls(report);
    else if (!strcmp(argv[1], "functions"))
        status = print_functions(report);
    else if (!strcmp(argv[1], "estimates"))
        status = print_estimates(report);
    else if (!strcmp(argv[1], "get") && argc > 3)
        for (int i = 3; i < argc && (status = print_value(report, argv[i])) == 0; i++)
            ;
    else if (!strcmp(argv[1], "function") && argc == 4)
        status = print_function(report, argv[3]);
    json_decref(report);
    return status;
}
