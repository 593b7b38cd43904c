#include "profiler/base/config.h"

#include "compensation/cost/online_model.h"
#include "profiler/format/names.h"
#include "profiler/format/option_rules.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct config config;

static char words_buffer[4096];
static char complaint[160];

/* Splits text as sh splits words: white space between, '...' "..." and backslash. In place into words_buffer. */
static int split_words(const char *text, char **words, int max)
{
    int count = 0;
    char *out = words_buffer, *end = words_buffer + sizeof(words_buffer) - 1;
    while (*text) {
        while (*text == ' ' || *text == '\t' || *text == '\n')
            text++;
        if (!*text)
            break;
        if (count == max)
            return -1;
        words[count++] = out;
        char quote = 0;
        for (; *text && (quote || (*text != ' ' && *text != '\t' && *text != '\n')); text++) {
            if (out >= end)
                return -1;
            if (*text == quote)
                quote = 0;
            else if (!quote && (*text == '\'' || *text == '"'))
                quote = *text;
            else if (*text == '\\' && quote != '\'' && text[1])
                *out++ = *++text;
            else
                *out++ = *text;
        }
        if (quote || out >= end)
            return -1;
        *out++ = 0;
    }
    return count;
}

/* The parts, up to a NULL, one behind the other; what is too long is cut. */
static const char *complain_of(const char *const *parts)
{
    size_t n = 0;
    for (; *parts; parts++)
        for (const char *s = *parts; *s && n < sizeof(complaint) - 1; s++)
            complaint[n++] = *s;
    complaint[n] = 0;
    return complaint;
}

static const char *complain(const char *what, const char *value)
{
    return complain_of((const char *const[]){what, " '", value, "'", NULL});
}

/* Index of `name` among `count` names; `count`: it is none of them. */
static uint32_t choice_of(const char *name, const char *const *names, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

#define CHOICE_OF(name, names)  choice_of(name, names, sizeof(names) / sizeof((names)[0]))
#define IS_KNOWN(choice, names) ((choice) < sizeof(names) / sizeof((names)[0]))

static const char *set_clock(const char *name)
{
    static const char *const names[] = {PCOMP_CLOCK_NAMES};
    uint32_t clock = CHOICE_OF(name, names);
    if (!clock || !IS_KNOWN(clock, names))
        return complain("--clock: expected tsc, tsc-serial, cntvct or monotonic, found", name);
    config.clock = clock;
    return NULL;
}

static const char *set_model(const char *name)
{
    enum pcomp_model model;
    if (!pcomp_model_from_name(name, &model))
        return complain("--model: expected none, paper or split, found", name);
    config.model = model;
    return NULL;
}

static const char *set_mode(const char *name)
{
    static const char *const names[] = {PCOMP_MODE_NAMES};
    uint32_t mode = CHOICE_OF(name, names);
    config.full = mode == PCOMP_MODE_FULL;
    config.automatic = mode == PCOMP_MODE_AUTO;
    return IS_KNOWN(mode, names) ? NULL : complain("--mode: expected auto or full, found", name);
}

static const char *set_counts(const char *name)
{
    static const char *const names[] = {PCOMP_COUNTS_NAMES};
    uint32_t counts = CHOICE_OF(name, names);
    config.exact = counts == PCOMP_COUNTS_EXACT;
    return IS_KNOWN(counts, names) ? NULL : complain("--counts: expected auto or exact, found", name);
}

static const char *set_sampler(const char *name)
{
    static const char *const names[] = {PCOMP_SAMPLER_NAMES};
    uint32_t sampler = CHOICE_OF(name, names);
    config.sampler_off = sampler == PCOMP_SAMPLER_OPTION_OFF;
    config.sampler_perf = sampler == PCOMP_SAMPLER_OPTION_AUTO || sampler == PCOMP_SAMPLER_OPTION_PERF;
    config.sampler_timer = sampler == PCOMP_SAMPLER_OPTION_AUTO || sampler == PCOMP_SAMPLER_OPTION_TIMER;
    return IS_KNOWN(sampler, names) ? NULL : complain("--sampler: expected auto, perf, timer or off, found", name);
}

static const char *add_pattern(const char *text, bool only)
{
    if (config.pattern_count == CONFIG_PATTERNS_MAX)
        return "more than 64 patterns of --only and --skip";
    struct config_pattern *p = &config.patterns[config.pattern_count++];
    p->only = only;
    p->what = PATTERN_FUNCTION;
    if (!strncmp(text, "module:", 7)) {
        p->what = PATTERN_MODULE;
        text += 7;
    } else if (!strncmp(text, "file:", 5)) {
        p->what = PATTERN_FILE;
        text += 5;
    }
    p->text = text;
    return NULL;
}

/* PCT or PCT%, above 0 and at most 100, with at most three decimals */
static const char *set_budget(const char *text)
{
    const char *s = text;
    double value = 0, unit = 1;
    bool digits = false, point = false;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        digits = true;
        value = value * 10 + (*s - '0');
        unit *= point ? 10 : 1;
    }
    s += *s == '%';
    config.budget = value / unit / 100;
    if (*s || !digits || !(config.budget > 0) || config.budget > 1)
        return complain("--budget: expected a percentage above 0 and up to 100, as in 5%, found", text);
    return NULL;
}

/* SIZE with K, M or G; *end behind it. 0: it is none, or too large. */
static uint64_t read_size(const char *text, const char **end)
{
    uint64_t size = 0, digits = 0;
    for (; *text >= '0' && *text <= '9'; text++, digits++)
        if (__builtin_mul_overflow(size, 10, &size) || __builtin_add_overflow(size, (uint64_t)(*text - '0'), &size))
            digits = 1u << 20; /* too many */
    unsigned shift = *text == 'K' ? 10 : *text == 'M' ? 20 : *text == 'G' ? 30 : 0;
    *end = text + (shift != 0);
    return digits > 20 || size << shift >> shift != size ? 0 : size << shift;
}

static const char *set_memory_budget(const char *text)
{
    const char *end;
    config.memory_budget = read_size(text, &end);
    if (*end || config.memory_budget < PCOMP_MIN_MEMORY_BUDGET)
        return complain("--budget-memory: expected a size of at least 1M, as in 100M, found", text);
    return NULL;
}

static const char *set_trace_budget(const char *text)
{
    const char *end;
    config.trace_budget = read_size(text, &end);
    if (*end || config.trace_budget < PCOMP_MIN_TRACE_RATE || config.trace_budget >= PCOMP_MAX_TRACE_RATE)
        return complain("--budget-trace: expected at least 64K (bytes a second), as in 20M, found", text);
    return NULL;
}

/* SIZE[:ring] */
static const char *set_trace_limit(const char *text)
{
    const char *end;
    config.trace_limit = read_size(text, &end);
    config.trace_ring = !strcmp(end, ":ring");
    if ((*end && !config.trace_ring) || config.trace_limit < PCOMP_MIN_TRACE_LIMIT)
        return complain("--trace-limit: expected a size of at least 64K, as in 100M or 1G:ring, found", text);
    return NULL;
}

const char config_data_too_long[] = "the name of the data directory is too long";

static const char *set_data(const char *name)
{
    if (strlen(name) >= sizeof(config.data))
        return config_data_too_long;
    strcpy(config.data, name);
    return NULL;
}

static const char *set_directory(const char *name)
{
    return getenv("PCOMP_DATA") ? NULL : set_data(name);
}

static const char *set_only(const char *pattern)
{
    return add_pattern(pattern, true);
}

static const char *set_skip(const char *pattern)
{
    return add_pattern(pattern, false);
}

static const char *set_counters(const char *list)
{
    config.counters = list;
    return NULL;
}

static const char *set_calibration(const char *path)
{
    config.calibration = path;
    return NULL;
}

/* Options with a value; the function returns what is wrong with it. */
static const struct option {
    const char *name;
    const char *(*set)(const char *value);
} valued_options[] = {{"--clock", set_clock},
                      {"--model", set_model},
                      {"--mode", set_mode},
                      {"--counts", set_counts},
                      {"--sampler", set_sampler},
                      {"--only", set_only},
                      {"--skip", set_skip},
                      {"--trace-limit", set_trace_limit},
                      {"--budget", set_budget},
                      {"--budget-memory", set_memory_budget},
                      {"--budget-trace", set_trace_budget},
                      {"--counters", set_counters},
                      {"--calibration", set_calibration},
                      {"-o", set_directory}};

/* The option of `name`, which may have its value behind '='; NULL: there is none. */
static const struct option *find_option(const char *name)
{
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < sizeof(valued_options) / sizeof(valued_options[0]); i++)
        if (strlen(valued_options[i].name) == length && !strncmp(valued_options[i].name, name, length))
            return &valued_options[i];
    return NULL;
}

/* Options without a value: what they turn on. */
static const struct {
    const char *name;
    bool *on;
    uint32_t flag; /* of config.flags */
} switches[] = {{"--trace", &config.trace, 0},
                {"--trace-all", &config.trace_all, 0},
                {"--fold-recursion", NULL, PCOMP_FLAG_FOLD_RECURSION},
                {"--native-frames", NULL, PCOMP_FLAG_NATIVE_FRAMES},
                {"--call-sites", NULL, PCOMP_FLAG_CALL_SITES}};

static bool turn_on(const char *name)
{
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
        if (!strcmp(name, switches[i].name)) {
            config.flags |= switches[i].flag;
            if (switches[i].on)
                *switches[i].on = true;
            return true;
        }
    return false;
}

#define WORDS_MAX 256

static struct given {
    int count;
    struct {
        const char *option, *value;
    } list[WORDS_MAX];
} given;

static void given_add(const char *option, const char *value)
{
    given.list[given.count].option = option;
    given.list[given.count++].value = value;
}

static bool given_is(const void *options, const char *option, const char *value)
{
    const struct given *g = options;
    for (int i = 0; i < g->count; i++)
        if (!strcmp(g->list[i].option, option) && (!value || (g->list[i].value && !strcmp(g->list[i].value, value))))
            return true;
    return false;
}

static const char *check_rules(void)
{
    const struct option_rule *rule = option_rule_broken(given_is, &given);
    return !rule ? NULL
                 : complain_of((const char *const[]){rule->option, rule->needs ? ": goes with " : ": goes without ",
                                                     rule->other, rule->other_value ? " " : "",
                                                     rule->other_value ? rule->other_value : "", NULL});
}

static const char *parse_options(const char *text)
{
    static char *words[WORDS_MAX];
    int count = split_words(text, words, WORDS_MAX);
    given.count = 0;
    if (count < 0)
        return "too long, or a quote is not closed";
    for (int i = 0; i < count; i++) {
        char *name = words[i], *value = NULL;
        if (turn_on(name)) {
            given_add(name, NULL);
            continue;
        }
        const struct option *option = find_option(name);
        if (!option)
            return complain("unknown option", name);
        if ((value = strncmp(name, "--", 2) ? NULL : strchr(name, '=')))
            *value++ = 0;
        else if (i + 1 < count)
            value = words[++i];
        else
            return complain("no value after", name);
        given_add(option->name, value);
        const char *wrong = option->set(value);
        if (wrong)
            return wrong;
    }
    return check_rules();
}

/* False: it is too long then. A working directory that is gone leaves it as it is. */
static bool make_absolute(char *path, size_t size)
{
    if (path[0] == '/')
        return true;
    static char cwd[4096];
    if (!getcwd(cwd, sizeof(cwd)))
        return true;
    if (strlen(cwd) + strlen(path) + 2 > size)
        return false;
    size_t n = strlen(cwd);
    memmove(path + n + 1, path, strlen(path) + 1);
    memcpy(path, cwd, n);
    path[n] = '/';
    return true;
}

const char *config_read(void)
{
    config.model = PCOMP_MODEL_SPLIT;
    config.node_limit = 10 * 1000 * 1000;
    config.depth_limit = 1000 * 1000;
    config.automatic = config.sampler_perf = config.sampler_timer = true;
    const char *data = getenv("PCOMP_DATA"), *options = getenv("PCOMP_OPTIONS"), *id = getenv("PCOMP_RUN_ID");
    strcpy(config.data, "pcomp.data");
    const char *wrong = data && *data ? set_data(data) : NULL;
    if (id && strlen(id) == 32)
        strcpy(config.run_id, id);
    if (options && !wrong) {
        strncpy(config.options_text, options, sizeof(config.options_text) - 1);
        wrong = parse_options(options);
    }
    if (!make_absolute(config.data, sizeof(config.data)) && !wrong)
        wrong = config_data_too_long;
    /* what is measured besides needs every call */
    bool plain =
        !config.flags && !config.counters && !config.trace && !config.clock && config.model != PCOMP_MODEL_PAPER;
    config.counts = config.automatic && plain;
    config.full |= config.automatic && !config.trace;
    config.custom = (config.flags != 0) || config.counters || config.model == PCOMP_MODEL_PAPER;
    return wrong;
}
