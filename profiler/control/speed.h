/* How steadily the machine runs meanwhile: the first thread times the same half a microsecond of work at each of its
 * samples (compensation/estimate/steadiness.h). The result is in the header of the profile all along. */
#ifndef PCOMP_SPEED_H
#define PCOMP_SPEED_H

/* Once a session. */
void speed_start(void);

/* By one thread alone, signals blocked. Takes about a microsecond. */
void speed_time(void);

#endif
