/* How far two processors of this machine can be from each other, of those that this process may use. */
#ifndef PCOMP_PROCESSOR_PAIRS_H
#define PCOMP_PROCESSOR_PAIRS_H

#include <stdint.h>

enum processor_pair { PAIR_CORE, PAIR_SOCKET, PAIR_NODE, PAIR_KINDS }; /* of one core; one socket; two sockets */

/* A bit for each kind that there is. `topology`: the kernel's folder of processors (/sys/devices/system/cpu); 0: it has
 * none that can be read. */
uint32_t processor_pairs(const char *topology);

/* Where the only kind of pairs is, in words; NULL: there are several, or none is known. */
const char *processor_pair_only(uint32_t pairs);

#endif
