#include "reporters/liberal/liberal_remap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool liberal_option_parse(const char *text, struct liberal_option *option)
{
    static const char *const policies[] = {"dynamic", "guided", "static"}; /* by enum schedule_policy */
    const char *sign = strrchr(text, '=');                                 /* operator== has some */
    *option = (struct liberal_option){.text = text};
    if (!sign || sign == text || (size_t)(sign - text) >= sizeof option->function)
        return false;
    memcpy(option->function, text, (size_t)(sign - text));
    const char *name = sign + 1, *colon = strchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    if (colon) {
        char *end;
        unsigned long long chunk = strtoull(colon + 1, &end, 10);
        if (!isdigit((unsigned char)colon[1]) || *end || !chunk || chunk > UINT32_MAX)
            return false;
        option->schedule.chunk = (size_t)chunk;
    }
    for (int i = 0; i < 3; i++)
        if (strlen(policies[i]) == length && !strncmp(name, policies[i], length)) {
            option->schedule.policy = (enum schedule_policy)i;
            return true;
        }
    return false;
}
