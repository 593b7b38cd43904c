#include "reporters/base/output_file.h"

#include "reporters/base/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool output_failed(struct output_file *file, const char *path)
{
    message_failure("%s: cannot be written: %s", path, strerror(errno));
    free(file->target);
    free(file->temporary);
    *file = (struct output_file){NULL, NULL, NULL};
    return false;
}

bool output_file_open(struct output_file *file, const char *path)
{
    *file = (struct output_file){NULL, NULL, NULL};
    if (!strcmp(path, "-")) {
        file->stream = stdout;
        return true;
    }
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return output_failed(file, path);
    }
    file->target = exists ? realpath(path, NULL) : strdup(path); /* a symbolic link stays one */
    if (!file->target)
        return output_failed(file, path);
    if (exists && !S_ISREG(old.st_mode)) {
        file->stream = fopen(path, "w");
        return file->stream ? true : output_failed(file, path);
    }
    if (asprintf(&file->temporary, "%s.XXXXXX", file->target) < 0) {
        file->temporary = NULL;
        return output_failed(file, path);
    }
    int fd = mkstemp(file->temporary);
    if (fd < 0)
        return output_failed(file, path);
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, exists ? old.st_mode & 07777 : 0666 & ~mask) != 0 || !(file->stream = fdopen(fd, "w"))) {
        int why = errno;
        close(fd);
        unlink(file->temporary);
        errno = why;
        return output_failed(file, path);
    }
    return true;
}

bool output_file_close(struct output_file *file, bool keep)
{
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    int why = errno;
    if (file->stream != stdout && fclose(file->stream) != 0 && good) {
        good = false;
        why = errno;
    }
    if (file->temporary && good && keep && rename(file->temporary, file->target) != 0) {
        good = false;
        why = errno;
    }
    if (file->temporary && (!good || !keep))
        unlink(file->temporary);
    if (!good)
        message_failure("%s: cannot be written: %s", file->target ? file->target : "standard output",
                        why ? strerror(why) : "write error");
    free(file->target);
    free(file->temporary);
    *file = (struct output_file){NULL, NULL, NULL};
    return good;
}
