/* The profile of a replay: for each process of the measured run one profile file (profiler/format/profile_format.h,
 * with PCOMP_FLAG_REPLAYED), whose raw times are the measured ones and whose compensated times are the approximated
 * ones.
 *
 * Its deltas say what the events of a call cost, and how sure that is, so that terms and uncertainties are derived as
 * those of other profiles: own is the alpha of an enter, descendant that of an enter and an exit. */
#ifndef PCOMP_REPLAY_PROFILE_H
#define PCOMP_REPLAY_PROFILE_H

#include "reporters/replay/drive/replay_drive.h"

/* Writes the profiles of all processes (of peers: their own) into directory `to`. how: "event, ...", what reports say
 * of the model. False after writing one line to error. */
bool replay_profiles_write(const struct trace_directory *traces, const struct replay_outcome *outcome,
                           const uint8_t run_id[16], const char *how, const char *to, char *error, size_t error_size);

#endif
