#include "logscan.h"

#include <stdio.h>
#include <stdlib.h>

#define LINES   200000
#define BUSIEST 1520

struct summary {
    struct page_table table;
    unsigned requests_a_second[SECONDS_A_DAY];
    unsigned *milliseconds;
    size_t requests;
    uint64_t bytes;
};

static bool add_request(struct summary *s, const struct request *r)
{
    s->requests_a_second[r->second]++;
    s->milliseconds[s->requests++] = r->milliseconds;
    s->bytes += r->bytes;
    return table_add(&s->table, r);
}

static bool read_log(struct summary *s, const char *text, size_t length)
{
    struct scanner scanner;
    struct request r;
    scanner_start(&scanner, text, length);
    while (scanner_next(&scanner, &r))
        if (!add_request(s, &r))
            return false;
    printf("%zu lines, %zu bad, %zu pages, %.1f MB sent\n", scanner.line, scanner.bad_lines, s->table.count,
           (double)s->bytes / 1e6);
    return true;
}

static void print_summary(struct summary *s)
{
    unsigned p50, p99;
    double strength = 0;
    latency_percentiles(s->milliseconds, s->requests, &p50, &p99);
    unsigned period = strongest_period(s->requests_a_second, SECONDS_A_DAY, 4000, &strength);
    table_sort(&s->table);
    size_t pairs = count_lookalikes(&s->table, BUSIEST, 1);
    printf("half of the requests took up to %u ms, 99 %% up to %u ms\n", p50, p99);
    printf("traffic repeats every %u s (correlation %.2f)\n", period, strength);
    printf("%zu pairs of pages differ by one letter\n", pairs);
    for (size_t i = 0; i < 3 && i < s->table.count; i++)
        printf("%6u requests, %3u errors  %s\n", s->table.pages[i].requests, s->table.pages[i].errors,
               s->table.pages[i].path);
}

int main(int argc, char **argv)
{
    size_t length = 0, lines = argc > 1 ? strtoul(argv[1], NULL, 10) : LINES;
    struct summary *s = calloc(1, sizeof(*s));
    char *text = generate_log(lines, &length);
    int status = EXIT_FAILURE;
    if (s && text && (s->milliseconds = calloc(lines + 1, sizeof(*s->milliseconds))) && read_log(s, text, length)) {
        print_summary(s);
        status = EXIT_SUCCESS;
    } else {
        fputs("logscan: not enough memory\n", stderr);
    }
    if (s) {
        table_free(&s->table);
        free(s->milliseconds);
    }
    free(s);
    free(text);
    return status;
}
