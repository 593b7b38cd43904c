/* Reader of what `perf script -F ip,dso` writes: samples, an empty line between them, in each a line for every frame,
 * innermost first: white space, the address in hexadecimal, the module in parentheses. What is not so is passed over.
 * Not thread-safe on one stream. */
#ifndef PCOMP_PERF_SCRIPT_H
#define PCOMP_PERF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PERF_FRAMES_MAX 64 /* of a sample; further ones are left out */

struct perf_frame {
    uint64_t address;   /* offset in the module's file; of the calling instruction in outer frames */
    const char *module; /* path; "[kernel.kallsyms]", "[vdso]", "[unknown]" */
};

/* Called for every sample; the frames live until it returns. */
typedef void perf_sample_function(void *context, const struct perf_frame *frames, size_t count);

/* False: the stream could not be read to its end, or out of memory. */
bool perf_script_read(FILE *in, perf_sample_function *on_sample, void *context);

#endif
