/* logscan: reads the access log of a web server and says which pages are busy, which of them look alike, how long
 * requests take and whether the traffic comes in waves.
 *
 * An ordinary program that knows nothing of profilers: its scanner is made of helpers of one line, called for every
 * character, and its real work happens in two functions that are called rarely. */
#ifndef LOGSCAN_H
#define LOGSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECONDS_A_DAY 86400
#define PATH_SIZE     64

struct request { /* one line of the log */
    char path[PATH_SIZE];
    unsigned second; /* of the day */
    unsigned status, bytes, milliseconds;
};

/* log_generator.c: a day of made-up but reproducible traffic. The text is the caller's, to be freed; NULL: no memory.
 */
char *generate_log(size_t lines, size_t *length);

/* log_scanner.c */
struct scanner {
    const char *next, *end;
    size_t line, bad_lines;
};
void scanner_start(struct scanner *s, const char *text, size_t length);
bool scanner_next(struct scanner *s, struct request *r); /* false at the end of the log */

/* page_table.c: pages by path, with how often they were asked for. */
struct page {
    char path[PATH_SIZE];
    unsigned requests, errors;
    uint64_t bytes;
};
struct page_table {
    struct page *pages;
    size_t *slots; /* hash table: index into pages + 1, 0 empty */
    size_t count, capacity, slot_count;
};
bool table_add(struct page_table *t, const struct request *r); /* false: no memory */
void table_sort(struct page_table *t);                         /* busiest first; ends adding */
void table_free(struct page_table *t);

/* time_series.c */
double autocovariance(const double *x, size_t count, unsigned lag);

/* traffic_analysis.c */
unsigned edit_distance(const char *a, const char *b);
size_t count_lookalikes(const struct page_table *t, size_t first, unsigned distance);
unsigned strongest_period(const unsigned *requests_a_second, size_t seconds, unsigned longest, double *strength);
void latency_percentiles(unsigned *milliseconds, size_t count, unsigned *p50, unsigned *p99);

#endif
