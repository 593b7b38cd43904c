#include "reporters/calibrate/calibrate_run.h"

#include "reporters/base/message.h"
#include "reporters/launch/run_launch.h"
#include "reporters/profile/profile_file.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header of the one profile in dir. False after a message. */
static bool read_header(const char *command, const char *dir, struct pcomp_header *header)
{
    char pattern[4200], error[512] = "";
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*.pcomp", dir);
    bool any = glob(pattern, 0, NULL, &found) == 0;
    bool good = any && profile_file_read_header(found.gl_pathv[0], header, error, sizeof error);
    if (any)
        globfree(&found);
    if (good && !(header->tick_hz > 0 && isfinite(header->tick_hz))) {
        good = false;
        snprintf(error, sizeof error, "%s: the speed of the clock is missing", dir);
    }
    if (!good)
        message_failure("%s: %s", command, *error ? error : "the helper left no profile (its message is above)");
    return good;
}

bool calibrate_helper_run(const char *command, const char *helper, const char *scratch, const char *options,
                          size_t number, struct pcomp_header *header)
{
    char *data = NULL, *set_options = NULL;
    struct run_result run = {0};
    bool good = false;
    if (asprintf(&data, "PCOMP_DATA=%s/%zu", scratch, number) < 0 ||
        asprintf(&set_options, "PCOMP_OPTIONS=%s", options) < 0) {
        message_no_memory(command);
    } else {
        static char no_run[] = "PCOMP_RUN_ID=";
        char *const set[] = {data, set_options, no_run, NULL};
        char *const arguments[] = {(char *)helper, NULL};
        if (!run_launch(helper, arguments, set, NULL, &run) || run.exit_status)
            message_failure("%s: %s: %s", command, helper,
                            run.exec_errno ? strerror(run.exec_errno) : "the helper did not run to its end");
        else
            good = read_header(command, strchr(data, '=') + 1, header);
    }
    free(data);
    free(set_options);
    return good;
}
