#include "reporters/replay/traced_profile.h"

#include "reporters/base/message.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/profile/data_directory.h"
#include "reporters/profile/profile_file.h"
#include "reporters/replay/replay_job.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_traced(const char *dir)
{
    struct data_directory data;
    struct pcomp_header header;
    struct stat status;
    char error[1024];
    bool traced = false;
    if (stat(dir, &status) != 0 || !S_ISDIR(status.st_mode) ||
        !data_directory_open(dir, true, &data, error, sizeof error))
        return false; /* for the reader of profiles to report */
    for (size_t i = 0; i < data.file_count && !traced; i++)
        traced = data.files[i].status != DATA_GONE && data.files[i].status != DATA_STARTING &&
                 profile_file_read_header(data.files[i].path, &header, error, sizeof error) &&
                 header.flags & PCOMP_FLAG_TRACE;
    data_directory_close(&data);
    return traced;
}

int traced_profile_make(const char *dir, bool salvage, char **made)
{
    *made = NULL;
    if (!is_traced(dir))
        return STATUS_DONE;
    struct replay_job job = {.dir = dir, .salvage = salvage, .options.model = REPLAY_TIME};
    int status = STATUS_BAD;
    if (replay_job_open(&job)) {
        for (uint32_t i = 0; i < job.traces.warning_count; i++)
            message_note("note: %s", job.traces.warnings[i]);
        *made = scratch_dir_make();
        status = *made ? replay_job_profiles(&job, *made)
                       : message_failure("report: no directory for the profile: %s", strerror(errno));
    }
    replay_job_close(&job);
    if (status) {
        scratch_dir_remove(*made);
        *made = NULL;
    }
    return status;
}
