#include "reporters/advise/advice.h"

#include "reporters/advise/advice_match.h"
#include "reporters/advise/gcc_exclusion.h"
#include "reporters/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function is worth measuring whatever it is when it does this many times what its measurement costs. */
#define WORTH_MEASURING 10
/* Share of the run from which a function is wanted in the profile: although it is a candidate, or in another's way. */
#define WANTED_CANDIDATE 0.1
#define WANTED           0.01

struct verdict { /* on a function of the profile */
    enum advice_why why;
    double saving; /* what its calls cost */
    double cost;   /* ... and one of them, ns */
    double a_call; /* exclusive time of one, ns */
    double weight; /* exclusive time as a share of the run */
    bool worth;    /* the saving is worth naming it */
    bool left_out; /* in the end */
    const struct advice_item *item;
};

struct maker {
    struct advice *advice;
    const struct dwarf_functions *dwarf;
    struct match_names names;
    struct verdict *verdicts; /* one a function of the tree */
    uint32_t *order;          /* functions that are worth naming, greatest saving first */
    size_t order_count;
    double min;
};

/* --- What would be good to leave out ------------------------------------------------------------------------------ */

/* A raw time less that of preemption: as the profile tells, else the part of all time that was spent on a processor. */
static double unpreempted(const struct maker *maker, double raw, double ready)
{
    return maker->advice->tree->knows_waiting ? raw - ready : raw * maker->advice->on_cpu;
}

/* The same without the cost of measuring, of which calibration knows the undisturbed value. */
static double undisturbed(const struct maker *maker, double raw, double compensated, double ready)
{
    return unpreempted(maker, raw, ready) - (raw - compensated);
}

/* The share of time on a processor. A thread that gave its processor up more often than it lost it was waiting: its
 * waiting belongs to the functions that wait. */
static double on_cpu_share(const struct call_tree *tree)
{
    double wall = 0, used = 0;
    for (size_t i = 0; i < tree->thread_count; i++) {
        const struct tree_thread *thread = &tree->threads[i];
        if (!(thread->wall > 0) || !(thread->cpu > 0))
            continue;
        wall += thread->wall;
        used += thread->involuntary > thread->voluntary && thread->cpu < thread->wall ? thread->cpu : thread->wall;
    }
    return wall > 0 ? used / wall : 1;
}

/* `costs`: what was found of the function's calls. */
static enum advice_why why_of(const struct maker *maker, const struct tree_function *function,
                              const struct verdict *costs)
{
    static const enum advice_why by_form[] = {[FORM_CODE] = ADVICE_ALONG,
                                              [FORM_PART] = ADVICE_PART,
                                              [FORM_INLINED] = ADVICE_INLINED,
                                              [FORM_GONE] = ADVICE_GONE,
                                              [FORM_UNKNOWN] = ADVICE_ALONG};
    const struct dwarf_function *found =
        maker->dwarf ? dwarf_functions_find(maker->dwarf, function->linkage_name, function->file) : NULL;
    struct advice *advice = maker->advice;
    if (maker->dwarf && !found) {
        advice->unknown_count++;
        advice->unknown_saving += costs->saving;
        if (!advice->unknown_example || function->calls > advice->unknown_example->calls)
            advice->unknown_example = function;
    }
    if (!strcmp(function->linkage_name, "main") || !(costs->a_call < WORTH_MEASURING * costs->cost))
        return ADVICE_ALONG;
    enum advice_why why = by_form[found ? found->form : FORM_UNKNOWN];
    return why == ADVICE_ALONG && costs->a_call < costs->cost ? ADVICE_TINY : why;
}

static bool keep(struct maker *maker, uint32_t index, char *reason)
{
    struct advice *advice = maker->advice;
    const struct verdict *verdict = &maker->verdicts[index];
    struct advice_kept *grown = reallocarray(advice->kept, advice->kept_count + 1, sizeof *grown);
    if (grown)
        advice->kept = grown;
    if (!grown || !reason) {
        free(reason);
        return false;
    }
    grown[advice->kept_count++] = (struct advice_kept){.function = &advice->tree->functions[index],
                                                       .saving = verdict->saving,
                                                       .share = verdict->saving / advice->overhead,
                                                       .reason = reason};
    return true;
}

static int by_saving(const void *a, const void *b, void *context)
{
    const struct maker *maker = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double x = maker->verdicts[i].saving, y = maker->verdicts[j].saving;
    return x != y ? (x > y ? -1 : 1) : (i > j) - (i < j);
}

static bool judge(struct maker *maker)
{
    struct advice *advice = maker->advice;
    const struct call_tree *tree = advice->tree;
    const struct tree_totals *all = &tree->total_all_threads;
    double total = undisturbed(maker, all->raw, all->compensated, all->ready);
    for (uint32_t i = 0; i < tree->function_count; i++) {
        const struct tree_function *function = &tree->functions[i];
        struct verdict *verdict = &maker->verdicts[i];
        if (!function->module || !function->calls)
            continue;
        verdict->saving = call_costs_of(&advice->costs, tree, i);
        verdict->cost = verdict->saving / (double)function->calls;
        const struct tree_times *times = &function->exclusive;
        double own = undisturbed(maker, times->raw, times->compensated, times->ready);
        verdict->a_call = own / (double)function->calls;
        verdict->weight = total > 0 ? own / total : 0;
        verdict->why = why_of(maker, function, verdict);
        verdict->worth = verdict->why != ADVICE_ALONG && verdict->saving >= maker->min * advice->overhead;
        if (verdict->worth)
            maker->order[maker->order_count++] = i;
    }
    qsort_r(maker->order, maker->order_count, sizeof *maker->order, by_saving, maker);
    size_t left = 0;
    for (size_t i = 0; i < maker->order_count; i++) {
        struct verdict *verdict = &maker->verdicts[maker->order[i]];
        char percent[TEXT_NUMBER], *reason = NULL;
        /* what is inlined and small is hardly a function at all */
        if (verdict->weight < WANTED_CANDIDATE || (verdict->why != ADVICE_TINY && verdict->a_call < verdict->cost)) {
            maker->order[left++] = maker->order[i];
            continue;
        }
        const char *what = verdict->why == ADVICE_TINY ? "tiny" : "inlined";
        verdict->why = ADVICE_ALONG;
        verdict->worth = false;
        if (asprintf(&reason, "%s, but %s of the run is spent in it", what, text_percent(percent, verdict->weight)) <
                0 ||
            !keep(maker, maker->order[i], reason))
            return false;
    }
    maker->order_count = left;
    return true;
}

/* --- How to leave it out ------------------------------------------------------------------------------------------ */

/* The first function wanted in the profile that an item would take; UINT32_MAX: none. all: every function without a
 * reason to be left out is wanted. */
static uint32_t wanted_by(const struct maker *maker, const struct advice_item *item, bool all)
{
    const struct match_names *names = &maker->names;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t index = names->list[i].function;
        if (index == MATCH_NOT_IN_PROFILE || !match_takes(item, &names->list[i]))
            continue;
        const struct verdict *verdict = &maker->verdicts[index];
        bool is_main = !strcmp(maker->advice->tree->functions[index].linkage_name, "main");
        if (verdict->why == ADVICE_ALONG && (all || verdict->weight >= WANTED || is_main))
            return index;
    }
    return UINT32_MAX;
}

static void take(struct maker *maker, const struct advice_item *item)
{
    const struct match_names *names = &maker->names;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t index = names->list[i].function;
        if (index != MATCH_NOT_IN_PROFILE && !maker->verdicts[index].left_out && match_takes(item, &names->list[i])) {
            maker->verdicts[index].left_out = true;
            maker->verdicts[index].item = item;
        }
    }
}

static struct advice_item *new_item(struct advice *advice, char *text, bool is_file)
{
    struct advice_item *item = &advice->all_items[advice->all_item_count];
    *item = (struct advice_item){text, is_file};
    if (text)
        advice->all_item_count++;
    return text ? item : NULL;
}

/* Files all of whose functions in the profile may go, and at least two of them are worth it. */
static bool choose_files(struct maker *maker)
{
    struct advice *advice = maker->advice;
    for (size_t i = 0; i < maker->order_count; i++) {
        const struct tree_function *functions = advice->tree->functions;
        const char *file = functions[maker->order[i]].file;
        if (!file || maker->verdicts[maker->order[i]].left_out)
            continue;
        size_t alike = 0;
        for (size_t k = i; k < maker->order_count && alike < 2; k++)
            alike += functions[maker->order[k]].file && !strcmp(functions[maker->order[k]].file, file);
        struct advice_item item = {(char *)text_basename(file), true};
        if (alike < 2 || wanted_by(maker, &item, true) != UINT32_MAX)
            continue;
        struct advice_item *kept = new_item(advice, strdup(item.text), true);
        if (!kept)
            return false;
        advice->items[advice->item_count++] = kept;
        take(maker, kept);
    }
    return true;
}

static char *refusal(const struct maker *maker, const struct advice_item *item, uint32_t other)
{
    char percent[TEXT_NUMBER], *reason = NULL;
    const char *name = maker->advice->tree->functions[other].name;
    int length = maker->verdicts[other].weight >= WANTED
                     ? asprintf(&reason, "\"%s\" would take %s, too, where %s of the run is spent", item->text, name,
                                text_percent(percent, maker->verdicts[other].weight))
                     : asprintf(&reason, "\"%s\" would take %s, too", item->text, name);
    return length < 0 ? NULL : reason;
}

static bool choose_functions(struct maker *maker)
{
    struct advice *advice = maker->advice;
    for (size_t i = 0; i < maker->order_count; i++) {
        uint32_t index = maker->order[i];
        if (maker->verdicts[index].left_out)
            continue;
        struct advice_item *item = new_item(advice, gcc_item(advice->tree->functions[index].linkage_name), false);
        if (!item)
            return false;
        uint32_t other = *item->text ? wanted_by(maker, item, false) : UINT32_MAX;
        if (!*item->text || other != UINT32_MAX) {
            char *reason = *item->text ? refusal(maker, item, other) : strdup("gcc's name for it is not known");
            if (!keep(maker, index, reason))
                return false;
            continue;
        }
        advice->items[advice->item_count++] = item;
        take(maker, item);
    }
    return true;
}

/* An item that is part of another one stands for it; the shortest, which is never dropped itself. */
static void drop_needless(struct maker *maker)
{
    struct advice *advice = maker->advice;
    size_t kept = 0;
    for (size_t i = 0; i < advice->item_count; i++) {
        struct advice_item *item = advice->items[i], *shorter = NULL;
        for (size_t k = 0; k < advice->item_count; k++)
            if (advice->items[k] != item && advice->items[k]->is_file == item->is_file &&
                strstr(item->text, advice->items[k]->text) &&
                (!shorter || strlen(advice->items[k]->text) < strlen(shorter->text)))
                shorter = advice->items[k];
        if (!shorter)
            advice->items[kept++] = item;
        for (size_t v = 0; shorter && v < advice->tree->function_count; v++)
            if (maker->verdicts[v].item == item)
                maker->verdicts[v].item = shorter;
    }
    advice->item_count = kept;
}

/* --- What comes of it --------------------------------------------------------------------------------------------- */

static bool name_others(struct maker *maker, struct advice_row *row)
{
    const struct match_names *names = &maker->names;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t index = names->list[i].function;
        if ((index != MATCH_NOT_IN_PROFILE && maker->verdicts[index].worth) || !match_takes(row->item, &names->list[i]))
            continue;
        char *longer = NULL;
        int length =
            asprintf(&longer, "%s%s%s", row->also ? row->also : "", row->also ? "; " : "", names->list[i].shown);
        if (length < 0)
            return false;
        free(row->also);
        row->also = longer;
        row->also_count++;
    }
    return true;
}

/* With the savings so far. */
static double dilation(const struct maker *maker)
{
    const struct tree_totals *total = &maker->advice->tree->total_all_threads;
    double actual = undisturbed(maker, total->raw, total->compensated, total->ready);
    return actual > 0 ? (unpreempted(maker, total->raw, total->ready) - maker->advice->saving) / actual : NAN;
}

static bool add_row(struct maker *maker, uint32_t index)
{
    struct advice *advice = maker->advice;
    const struct verdict *verdict = &maker->verdicts[index];
    const struct tree_function *function = &advice->tree->functions[index];
    struct advice_row *row = &advice->rows[advice->row_count++];
    advice->saving += verdict->saving;
    *row = (struct advice_row){.function = function,
                               .why = verdict->worth ? verdict->why : ADVICE_ALONG,
                               .saving = verdict->saving,
                               .share = verdict->saving / advice->overhead,
                               .a_call = verdict->a_call,
                               .dilation = dilation(maker),
                               .item = verdict->item};
    return !verdict->worth || name_others(maker, row);
}

static bool write_rows(struct maker *maker)
{
    struct advice *advice = maker->advice;
    size_t count = advice->tree->function_count;
    for (size_t i = 0; i < maker->order_count; i++)
        if (maker->verdicts[maker->order[i]].left_out && !add_row(maker, maker->order[i]))
            return false;
    advice->reason_count = advice->row_count;
    size_t along = 0;
    for (uint32_t i = 0; i < count; i++)
        if (maker->verdicts[i].left_out && !maker->verdicts[i].worth)
            maker->order[along++] = i;
    qsort_r(maker->order, along, sizeof *maker->order, by_saving, maker);
    for (size_t i = 0; i < along; i++)
        if (!add_row(maker, maker->order[i]))
            return false;
    advice->dilation_then = advice->row_count ? advice->rows[advice->row_count - 1].dilation : advice->dilation_now;
    return true;
}

static int kept_by_saving(const void *a, const void *b)
{
    const struct advice_kept *x = a, *y = b;
    return x->saving != y->saving ? (x->saving > y->saving ? -1 : 1) : strcmp(x->function->name, y->function->name);
}

/* Refused by its own item, yet taken along by another one's. */
static void forget_taken(struct maker *maker)
{
    struct advice *advice = maker->advice;
    size_t left = 0;
    for (size_t i = 0; i < advice->kept_count; i++)
        if (maker->verdicts[advice->kept[i].function - advice->tree->functions].left_out)
            free(advice->kept[i].reason);
        else
            advice->kept[left++] = advice->kept[i];
    advice->kept_count = left;
    if (left)
        qsort(advice->kept, left, sizeof *advice->kept, kept_by_saving);
}

bool advice_make(struct advice *advice, const struct call_tree *tree, const struct dwarf_functions *dwarf, double min)
{
    const struct tree_totals *total = &tree->total_all_threads;
    size_t room = tree->function_count + 1;
    *advice = (struct advice){.tree = tree, .overhead = total->raw - total->compensated, .on_cpu = on_cpu_share(tree)};
    if (!call_costs_make(&advice->costs, tree, advice->overhead))
        return false;
    struct maker maker = {.advice = advice, .dwarf = dwarf, .min = min};
    advice->dilation_now = advice->dilation_then = dilation(&maker);
    maker.verdicts = calloc(room, sizeof *maker.verdicts);
    maker.order = calloc(room, sizeof *maker.order);
    advice->rows = calloc(room, sizeof *advice->rows);
    advice->items = calloc(room, sizeof *advice->items);
    advice->all_items = calloc(2 * room, sizeof *advice->all_items);
    bool good = maker.verdicts && maker.order && advice->rows && advice->items && advice->all_items &&
                match_names_read(&maker.names, tree, dwarf);
    if (good && advice->overhead > 0) {
        good = judge(&maker) && choose_files(&maker) && choose_functions(&maker);
        drop_needless(&maker);
        forget_taken(&maker);
        good = good && write_rows(&maker);
    }
    match_names_free(&maker.names);
    free(maker.verdicts);
    free(maker.order);
    if (!good)
        advice_free(advice);
    return good;
}

void advice_free(struct advice *advice)
{
    for (size_t i = 0; i < advice->row_count; i++)
        free(advice->rows[i].also);
    for (size_t i = 0; i < advice->kept_count; i++)
        free(advice->kept[i].reason);
    for (size_t i = 0; i < advice->all_item_count; i++)
        free(advice->all_items[i].text);
    free(advice->rows);
    free(advice->kept);
    free(advice->items);
    free(advice->all_items);
    call_costs_free(&advice->costs);
    *advice = (struct advice){0};
}
