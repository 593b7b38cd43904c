/* How long a message takes: C(n) = S + n * gamma for each protocol (1993 §3.3; h * H is 0: between nodes, there is
 * another model), and how long its copying between buffers takes, c(n), in total (2005 §3.2). Fitted by least squares
 * from a ping-pong. */
#ifndef PCOMP_COMM_MODEL_H
#define PCOMP_COMM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMM_COPIES 16 /* sizes in the table of copy times */

struct comm_line {
    double start;    /* S */
    double per_byte; /* gamma */
    double residual; /* root of the mean square of what the line leaves */
};

struct comm_copy {
    uint64_t bytes;
    double time;
};

/* Whether a standard send waits for its receiver. */
enum comm_protocol {
    COMM_EAGER,      /* it does not: the message is buffered */
    COMM_RENDEZVOUS, /* it does */
    COMM_UNKNOWN
};

/* What was seen of sends whose receiver had not come. All zero: nothing. */
struct comm_protocols {
    uint64_t eager_max;      /* bytes: the largest message that was sent all the same */
    uint64_t rendezvous_min; /* bytes: the smallest that was not; 0: none was tried */
};

/* Times in any one unit. All zero: nothing is known; messages then take no time of their own. */
struct comm_model {
    struct comm_line eager, rendezvous;
    uint64_t threshold;                    /* bytes from which on messages are sent by rendezvous; 0: none are */
    uint64_t threshold_min, threshold_max; /* 95 % interval of the threshold; both 0: it has none */
    bool has_protocols;                    /* `threshold` says what sends do; else it is not known */
    uint32_t copies;                       /* entries in copy[], by ascending size */
    struct comm_copy copy[COMM_COPIES];
};

struct comm_sample { /* of a ping-pong: one way */
    uint64_t bytes;
    double time;
};

/* How a standard send of so many bytes goes: by the model's threshold where it has one, else by what was seen. */
enum comm_protocol comm_protocol_of(const struct comm_model *model, const struct comm_protocols *seen, uint64_t bytes);

/* Whether the model says what messages cost. */
bool comm_is_known(const struct comm_model *model);

/* Communication time of a message. */
double comm_time(const struct comm_model *model, uint64_t bytes);

/* Buffer copy time of a message: linear between the sizes of the table, in proportion beyond the last. */
double comm_copy_time(const struct comm_model *model, uint64_t bytes);

/* Fits both lines and finds the break between them by the least sum of squared relative residuals, of which those of
 * single samples count the less the greater they are (Huber), so that a disturbed measurement does not move it. The
 * interval of the threshold has all breaks that explain the samples nearly as well. `blocks[i]`: 1 when
 * a send of samples[i].bytes was seen to wait for its receiver; NULL: not known. False: fewer than two sizes. */
bool comm_fit(struct comm_model *model, const struct comm_sample *samples, size_t count, const uint8_t *blocks);

#endif
