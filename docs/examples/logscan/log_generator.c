#include "logscan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE 256

static const char *const sections[] = {"shop", "news", "forum", "static", "api/v2", "users", "search", "download"};
static const char *const agents[] = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
    "curl/7.88.1",
};

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((*state >> 32) * limit) >> 32);
}

/* A tenth of the traffic comes from a job that runs every ten minutes. */
static unsigned random_second(uint64_t *state)
{
    if (random_below(state, 10) == 0)
        return random_below(state, SECONDS_A_DAY / 600) * 600 + random_below(state, 5);
    return random_below(state, SECONDS_A_DAY);
}

static int generate_line(char *out, uint64_t *state)
{
    unsigned second = random_second(state);
    uint32_t page = random_below(state, 40) * random_below(state, 40); /* small numbers are asked for more often */
    return snprintf(out, LONGEST_LINE,
                    "10.%u.%u.%u - - [03/Jun/2026:%02u:%02u:%02u +0000] \"GET /%s/item-%u.html HTTP/1.1\" %u %u %u "
                    "\"https://www.example.org/\" \"%s\"\n",
                    random_below(state, 4), random_below(state, 256), random_below(state, 256), second / 3600,
                    second / 60 % 60, second % 60, sections[random_below(state, 8)], 1000 + page,
                    random_below(state, 50) ? 200u : 404u, 200 + random_below(state, 30000),
                    1 + random_below(state, 20) * random_below(state, 20), agents[random_below(state, 3)]);
}

char *generate_log(size_t lines, size_t *length)
{
    char *text = malloc(lines * LONGEST_LINE + 1);
    if (!text)
        return NULL;
    uint64_t state = 2026;
    size_t used = 0;
    for (size_t i = 0; i < lines; i++)
        used += (size_t)generate_line(text + used, &state);
    *length = used;
    return text;
}
