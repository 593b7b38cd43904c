/* What pcomp info tells of the modules whose functions were measured: their sites, and what the build left out. */
#ifndef PCOMP_INFO_MODULES_H
#define PCOMP_INFO_MODULES_H

#include "reporters/base/emitter.h"
#include "reporters/profile/data_directory.h"

/* A line each, and the array "modules" in JSON. Modules that changed since the run are left alone: a note of the report
 * tells of them. */
void info_modules(struct emitter *emitter, const struct data_directory *data);

#endif
