/* The traces of a data directory: its locations, with names, processes and the means to turn addresses into names.
 * Not thread-safe while opening; read-only afterwards, except for the files, which have a position each. */
#ifndef PCOMP_TRACE_DIRECTORY_H
#define PCOMP_TRACE_DIRECTORY_H

#include "reporters/profile/profile_sites.h"
#include "reporters/trace/files/trace_file.h"
#include "reporters/trace/trace_clock.h"
#include "reporters/trace/trace_modules.h"

struct trace_location {
    struct trace_file *file;
    struct trace_clock clock; /* from its clock to that of rank 0 */
    char *name;       /* "rank 0", "rank 0 thread 2", "main", "thread 1", "pid 123 thread 1": unique in the directory */
    uint32_t process; /* index of its process, from 0 in the order of rank, then pid */
};

struct trace_directory {
    char *path;
    struct trace_location *locations; /* by rank (or pid), then by thread */
    uint32_t count;
    uint32_t processes;
    double tick_ns; /* nanoseconds of one tick, the same for all: times are mapped when clocks differ */
    bool one_clock; /* all locations were found to have one clock */
    bool one_node;  /* all ran on one machine; by their clocks where older traces do not tell */
    double speed;   /* profile_speed_share, the greatest of all processes */
    double layout;  /* profile_layout_share of those that tell of their sites, too */
    bool windows;   /* too hot functions were counted in windows alone */
    struct profile_site_cost *sites; /* by process */
    uint64_t clock_error;            /* ticks: times of two locations are known to each other to so much */
    char **profiles; /* by process: path of its profile file (modules, functions, calibration); NULL missing */
    struct trace_modules **modules; /* by process: modules that lay where others lie later; NULL none */
    char **warnings;                /* texts for the user, one line each: files left out, processes that still run */
    uint32_t warning_count;
};

/* Opens all traces of a data directory. False after writing one line to error (also when there is no trace in it, with
 * "record one with pcomp record --trace"). */
bool trace_directory_open(const char *path, bool salvage, struct trace_directory *directory, char *error,
                          size_t error_size);
void trace_directory_close(struct trace_directory *directory);

/* Of all trace files. */
uint64_t trace_directory_bytes(const struct trace_directory *directory);

/* trace_file_read of a location, with its times as ticks of rank 0's clock, and marks in values (trace_modules.h). */
int64_t trace_directory_read(const struct trace_directory *directory, uint32_t location, void *buffer, size_t max,
                             char *error, size_t error_size);

#endif
