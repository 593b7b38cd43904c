/* DIR/replay: of what execution a data directory is the replay, and by which model. A text of lines "KEY VALUE" after
 * the line "pcomp-replay 1":
 *
 *   measured  absolute path of the directory that was replayed
 *   model     time, event
 *   bound     lower, upper, model; - where messages took no part
 *   how       all of it in words
 *   spread    half-width of the 95 % interval of the total, as a share of it
 *   removal   of that: half-width of what was removed, as a share of what was removed; missing in older files
 *   outside   of that: half-width of all else, as a share of the total; the same
 *   liberal   LOOP as in pcomp replay --liberal; missing in conservative approximations
 *
 * Where bounds differ, the directory above lower, upper and model has the file too, with bound "all". */
#ifndef PCOMP_REPLAY_INFO_H
#define PCOMP_REPLAY_INFO_H

#include <stdbool.h>
#include <stddef.h>

struct replay_info {
    char measured[4200];
    char model[8], bound[8];
    char how[512];
    char liberal[300];  /* "": conservative */
    double uncertainty; /* half-width of the 95 % interval of the total, as a share of it; 0 unknown */
    double removal;     /* of what was removed, as a share of that ... */
    double outside;     /* ... and of all else, as a share of the total; where neither is known, all is in this one */
};

/* False with errno. */
bool replay_info_write(const char *dir, const struct replay_info *info);

/* False: dir has no such file (it was not made by a replay), or it is damaged. */
bool replay_info_read(const char *dir, struct replay_info *info);

#endif
