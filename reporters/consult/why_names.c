#include "reporters/consult/why_names.h"

#include <stdlib.h>
#include <string.h>

const struct why_text why_texts[WHY_COUNT] = {
    [WHY_CPU] = {"cpu", "computes", 0.20},
    [WHY_LOCK] = {"lock", "waits for locks", 0.10},
    [WHY_CONDITION] = {"condition", "waits for condition variables", 0.20},
    [WHY_BARRIER] = {"barrier", "waits at barriers", 0.10},
    [WHY_SEMAPHORE] = {"semaphore", "waits for semaphores", 0.10},
    [WHY_JOIN] = {"join", "waits for the end of threads", 0.60},
    [WHY_MESSAGE] = {"message", "waits for messages", 0.10},
    [WHY_IO] = {"io", "waits for input and output", 0.10},
    [WHY_FAULT] = {"fault", "waits for memory pages", 0.05},
    [WHY_SLEEP] = {"sleep", "sleeps", 0.20},
    [WHY_OTHER] = {"other", "waits in another system call", 0.20},
    [WHY_OVERHEAD] = {"overhead", "is measured too much", 0.10},
};

enum why why_find(const char *name)
{
    enum why why = 0;
    while (why < WHY_COUNT && strcmp(why_texts[why].name, name) != 0)
        why++;
    return why;
}

int why_thresholds_parse(const char *text, double thresholds[WHY_COUNT], const char **wrong)
{
    for (const char *at = text; *at;) {
        char name[16] = "", *end;
        size_t length = strcspn(at, "=");
        *wrong = at;
        if (length >= sizeof name || at[length] != '=')
            return 0;
        memcpy(name, at, length);
        enum why why = why_find(name);
        double percent = strtod(at + length + 1, &end);
        if (why == WHY_NONE || end == at + length + 1 || !(percent > 0 && percent < 100))
            return 0;
        end += *end == '%';
        if (*end && (*end != ',' || !end[1]))
            return 0;
        thresholds[why] = percent / 100;
        at = *end ? end + 1 : end;
    }
    return *text != 0;
}
