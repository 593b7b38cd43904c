#include "reporters/profile/replay_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "pcomp-replay 1\n"

bool replay_info_write(const char *dir, const struct replay_info *info)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/replay", dir);
    FILE *f = fopen(path, "wxe");
    if (!f)
        return false;
    fprintf(f, FIRST_LINE "measured %s\nmodel %s\nbound %s\nhow %s\n", info->measured, info->model, info->bound,
            info->how);
    if (info->uncertainty > 0)
        fprintf(f, "spread %.9g\nremoval %.9g\noutside %.9g\n", info->uncertainty, info->removal, info->outside);
    if (*info->liberal)
        fprintf(f, "liberal %s\n", info->liberal);
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}

/* Half-widths beyond the time itself come from damaged files. */
static void read_share(const char *line, const char *key, double *share)
{
    size_t length = strlen(key);
    double value = strncmp(line, key, length) != 0 ? 0 : strtod(line + length, NULL);
    if (value > 0 && value <= 1)
        *share = value;
}

bool replay_info_read(const char *dir, struct replay_info *info)
{
    char line[4400];
    *info = (struct replay_info){0};
    snprintf(line, sizeof line, "%s/replay", dir);
    FILE *f = fopen(line, "re");
    if (!f)
        return false;
    bool ours = fgets(line, sizeof line, f) && !strcmp(line, FIRST_LINE);
    const struct {
        const char *key;
        char *value;
        size_t size;
    } fields[] = {{"measured ", info->measured, sizeof info->measured},
                  {"model ", info->model, sizeof info->model},
                  {"bound ", info->bound, sizeof info->bound},
                  {"how ", info->how, sizeof info->how},
                  {"liberal ", info->liberal, sizeof info->liberal}};
    while (ours && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        read_share(line, "spread ", &info->uncertainty);
        read_share(line, "removal ", &info->removal);
        read_share(line, "outside ", &info->outside);
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            size_t key = strlen(fields[i].key);
            if (strncmp(line, fields[i].key, key) != 0)
                continue;
            size_t length = strnlen(line + key, fields[i].size - 1);
            memcpy(fields[i].value, line + key, length);
            fields[i].value[length] = 0;
        }
    }
    fclose(f);
    if (!(info->removal > 0 || info->outside > 0))
        info->outside = info->uncertainty;
    return ours && *info->measured;
}
