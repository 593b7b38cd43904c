#include "compensation/control/level_machine.h"

#include "compensation/numeric/extremes.h"

#define NEXT_MIN   0.0005 /* seconds to the next look */
#define NEXT_CALM  0.005  /* the same where nothing changes, however little is saved */
#define NEXT_MAX   0.02
#define RECENT     0.1 /* seconds that a recent rate looks back */
#define POLLS_CALM 4   /* looks, at least, before a function returns */
#define AFTER      4   /* the calm before another return is so many times as long */
#define OWED       0.5 /* seconds in which what was overspent is saved again */
#define STEPS      24  /* of bisection */

/* --- timed to counted --- */

/* Cost of the functions that stay timed with this allowance. */
static double cost_below(const uint64_t *calls, const uint8_t *levels, uint32_t count, double allowance, double price)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_TIMED && (double)calls[i] <= allowance)
            sum += (double)calls[i] * price;
    return sum;
}

double pcomp_levels_affordable(const uint64_t *calls, const uint8_t *levels, uint32_t count, double allowance,
                               double seconds, double price, double fallen)
{
    double affordable = PCOMP_LEVEL_START + PCOMP_LEVEL_SHARE * seconds;
    affordable = pcomp_max(affordable - fallen * price, PCOMP_LEVEL_REST * affordable);
    while (allowance >= 1 && cost_below(calls, levels, count, allowance, price) > affordable)
        allowance /= 2;
    return allowance;
}

static uint32_t let_fall_to_counted(struct pcomp_level_machine *machine, uint8_t *levels, const uint64_t *calls,
                                    uint32_t count, double allowance)
{
    uint32_t fell = 0;
    for (uint32_t i = 0; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_TIMED && (double)calls[i] > allowance) {
            levels[i] = PCOMP_LEVEL_COUNTED;
            machine->fallen += (double)calls[i];
            fell++;
        }
    return fell;
}

/* --- what was spent --- */

struct spending {          /* between two looks */
    double timed, counted; /* seconds */
    double counted_rate;   /* calls a second of all counted functions, the greater of both means of each */
};

/* What a function may have from now on: a phase that began is not known to end. */
static double expected(const struct pcomp_level_function *function)
{
    return pcomp_max((double)function->rate, (double)function->last);
}

static double new_calls(struct pcomp_level_function *function, uint64_t calls)
{
    double calls_more = calls > function->calls_before ? (double)(calls - function->calls_before) : 0;
    function->calls_before = calls;
    return calls_more;
}

static struct spending account(struct pcomp_level_function *functions, const uint8_t *levels, const uint64_t *calls,
                               uint32_t count, const struct pcomp_level_poll *look, double since, double newest)
{
    struct spending sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        double calls_more = new_calls(&functions[i], calls[i]);
        if (since > 0) {
            functions[i].last = (float)(calls_more / since);
            functions[i].rate += (float)newest * (functions[i].last - functions[i].rate);
        }
        if (levels[i] == PCOMP_LEVEL_TIMED)
            sum.timed += calls_more * look->timed_price;
        if (levels[i] == PCOMP_LEVEL_COUNTED) {
            sum.counted += calls_more * look->counted_price;
            sum.counted_rate += expected(&functions[i]);
        }
    }
    return sum;
}

/* Share of the time that the level of no function changes. */
static double others_of(const struct pcomp_level_poll *look)
{
    return look->sampling + look->windows + pcomp_min(look->sites, PCOMP_LEVEL_SITES * look->limit);
}

/* Pays from the balance for the time since the last look. */
static void pay(struct pcomp_level_machine *machine, const struct pcomp_level_poll *look, double since,
                const struct spending *spent)
{
    double full = pcomp_max(look->limit * PCOMP_LEVEL_SAVED, PCOMP_LEVEL_FIRST);
    if (machine->looks == 0)
        machine->balance = PCOMP_LEVEL_START + full; /* timed calls have an allowance of their own */
    machine->balance += (PCOMP_LEVEL_MARGIN * look->limit - others_of(look)) * since - spent->timed - spent->counted;
    machine->balance = pcomp_min(machine->balance, full);
}

/* Share of the time that calls of the functions that stay timed cost. */
static double timed_share(const struct pcomp_level_function *functions, const uint8_t *levels, const uint64_t *calls,
                          uint32_t count, double allowance, double price)
{
    double rate = 0;
    for (uint32_t i = 0; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_TIMED && (double)calls[i] <= allowance)
            rate += (double)functions[i].rate;
    return rate * price;
}

/* Share of the time that counted calls may cost from now on. What was overspent is saved within a while. */
static double room_of(const struct pcomp_level_machine *machine, const struct pcomp_level_poll *look, double timed)
{
    double left = PCOMP_LEVEL_MARGIN * look->limit - timed - others_of(look);
    if (machine->balance < 0)
        left += machine->balance / OWED;
    return pcomp_max(left, PCOMP_LEVEL_FLOOR * look->limit);
}

/* --- counted to sampled --- */

static double rate_up_to(const struct pcomp_level_function *functions, const uint8_t *levels, uint32_t count,
                         double greatest)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_COUNTED && expected(&functions[i]) <= greatest)
            sum += expected(&functions[i]);
    return sum;
}

/* The greatest rate with which a function stays counted, so that all that stay fit: bisection. */
static double greatest_rate(const struct pcomp_level_function *functions, const uint8_t *levels, uint32_t count,
                            double fitting)
{
    double low = 0, high = pcomp_max(fitting, 0); /* a function that alone does not fit falls */
    if (rate_up_to(functions, levels, count, high) <= fitting)
        return high;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (rate_up_to(functions, levels, count, middle) <= fitting)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t let_fall_to_sampled(struct pcomp_level_function *functions, uint8_t *levels, uint32_t count,
                                    double fitting)
{
    uint32_t fell = 0;
    double greatest = greatest_rate(functions, levels, count, fitting);
    for (uint32_t i = 0; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_COUNTED && expected(&functions[i]) > greatest) {
            levels[i] = PCOMP_LEVEL_SAMPLED;
            functions[i].calm = 0;
            fell++;
        }
    return fell;
}

/* --- sampled to counted --- */

static double calm_needed(const struct pcomp_level_function *function)
{
    double needed = PCOMP_LEVEL_CALM;
    for (uint8_t i = 0; i < function->returns; i++)
        needed *= AFTER;
    return needed;
}

static uint32_t let_return(struct pcomp_level_function *functions, uint8_t *levels, uint32_t count, double since,
                           double counted_rate, double fitting)
{
    uint32_t returned = 0;
    double sum = counted_rate;
    for (uint32_t i = 0; i < count; i++) {
        struct pcomp_level_function *f = &functions[i];
        if (levels[i] != PCOMP_LEVEL_SAMPLED)
            continue;
        if (sum + (double)f->rate > PCOMP_LEVEL_WIDE * fitting) {
            f->calm = 0;
            continue;
        }
        f->calm += (float)pcomp_min(since, PCOMP_LEVEL_CALM / POLLS_CALM);
        if (f->returns >= PCOMP_LEVEL_RETURNS || (double)f->calm < calm_needed(f))
            continue;
        sum += (double)f->rate;
        levels[i] = PCOMP_LEVEL_COUNTED;
        f->returns++;
        returned++;
    }
    return returned;
}

static uint32_t return_all(uint8_t *levels, uint32_t count)
{
    uint32_t returned = 0;
    for (uint32_t i = 0; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_SAMPLED) {
            levels[i] = PCOMP_LEVEL_COUNTED;
            returned++;
        }
    return returned;
}

/* --- looks --- */

/* Seconds that the balance lasts, where counted calls cost `share` of the time and `room` is left for them. */
static double lasts(const struct pcomp_level_machine *machine, double share, double room)
{
    if (share <= room)
        return NEXT_MAX;
    return machine->balance > 0 ? machine->balance / (share - room) : 0;
}

uint32_t pcomp_levels_poll(struct pcomp_level_machine *machine, struct pcomp_level_function *functions, uint8_t *levels,
                           const uint64_t *calls, uint32_t count, const struct pcomp_level_poll *look)
{
    double since = pcomp_max(look->seconds - machine->seconds, 0);
    double newest = since > 0 ? since / (since + pcomp_min(machine->seconds, RECENT)) : 0;
    struct spending spent = account(functions, levels, calls, count, look, since, newest);
    pay(machine, look, since, &spent);
    machine->seconds = look->seconds;
    machine->looks++;

    double wall = pcomp_max(look->wall, look->seconds);
    double allowance = pcomp_levels_affordable(calls, levels, count, look->burst + look->rate * wall, wall,
                                               look->timed_price, look->keeps_fallen ? machine->fallen : 0);
    double timed = timed_share(functions, levels, calls, count, allowance, look->timed_price);
    double room = room_of(machine, look, timed), price = look->counted_price;
    double fitting = price > 0 ? room / price : 1e300;
    double share = spent.counted_rate * price;
    double left = lasts(machine, share, room);
    uint32_t changed = 0;
    if (look->exact)
        changed += return_all(levels, count);
    else if (left < PCOMP_LEVEL_AHEAD)
        changed += let_fall_to_sampled(functions, levels, count, fitting);
    else
        changed += let_return(functions, levels, count, since, spent.counted_rate, fitting);
    changed += let_fall_to_counted(machine, levels, calls, count, allowance); /* to be counted once at least */
    double calm = pcomp_min(pcomp_max(NEXT_CALM, machine->balance), NEXT_MAX);
    machine->next = changed ? NEXT_MIN : pcomp_max(NEXT_MIN, pcomp_min(pcomp_min(left / 2, calm), 2 * machine->next));
    return changed;
}
