/* What the user must know before trusting the numbers, one line each. */
#include "profiler/format/names.h"
#include "reporters/base/text.h"
#include "reporters/tree/build/tree_builder.h"
#include "reporters/tree/merge/widen_times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNSTEADY   0.06 /* half-width, beyond what calm machines have */
#define EXCEPTIONS 0.01 /* of the time, for exceptions, worth a word */
#define DRIFT      0.1  /* change of a delta between start and exit worth a word */

#define COUNT(n, one, many) (unsigned long long)(n), (n) == 1 ? (one) : (many)

static void warn_of_losses(struct tree_builder *b)
{
    const struct findings *f = &b->found;
    static const struct pcomp_stopped_reason reasons[] = PCOMP_STOPPED_REASONS;
    char why[256] = "";
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (f->stopped & reasons[i].bit) {
            size_t length = strlen(why);
            snprintf(why + length, sizeof why - length, "%s%s", length ? ", " : "", reasons[i].why);
        }
    if (*why)
        tree_warn(b, "measurement stopped: %s; %llu calls counted, %llu not", why,
                  (unsigned long long)b->tree->total_all_threads.calls, (unsigned long long)f->lost_calls);
    else if (f->lost_calls && b->tree->how.replayed)
        tree_warn(b, "%llu %s lost while recording", COUNT(f->lost_calls, "event was", "events were"));
    else if (f->lost_calls)
        tree_warn(b, "%llu %s not measured", COUNT(f->lost_calls, "call was", "calls were"));
    if (f->late_calls)
        tree_warn(b, "%llu %s after the profile was closed at exit and not measured",
                  COUNT(f->late_calls, "call came", "calls came"));
    if (f->beyond_depth)
        tree_warn(b, "%llu %s below the depth limit and are shown as [beyond limit]",
                  COUNT(f->beyond_depth, "call was", "calls were"));
}

static void warn_of_trace_budget(struct tree_builder *b)
{
    const struct tree_trace_budget *budget = &b->tree->trace_budget;
    char rate[TEXT_NUMBER], worst[TEXT_NUMBER], number[TEXT_NUMBER];
    uint64_t calls = 0;
    uint32_t functions = 0;
    for (uint32_t i = 0; i < b->functions.count; i++) {
        calls += b->functions.functions[i].suppressed;
        functions += b->functions.functions[i].suppressed != 0;
    }
    if (calls)
        tree_warn(b,
                  "%s calls of %u %s counted and not recorded (marked ~): they are in no call path, "
                  "and their time is their callers'",
                  text_count(number, calls), functions, functions == 1 ? "function were" : "functions were");
    if (budget->violations)
        tree_warn(
            b,
            "the budget of %s of trace a second was exceeded %u time%s, at most for %.2f s, when a second had %s: "
            "%s",
            text_bytes(rate, (uint64_t)fmin(budget->rate, 1e18)), budget->violations,
            budget->violations == 1 ? "" : "s", budget->longest / 1e9,
            text_bytes(worst, (uint64_t)fmin(budget->worst, 1e18)), budget->cause ? budget->cause : "cause unknown");
}

static void warn_of_counts(struct tree_builder *b)
{
    const struct tree_counting *counting = &b->tree->counting;
    if (counting->inexact)
        tree_warn(b,
                  "%llu %s counted without locks, in threads that the library did not see begin or behind their last "
                  "destructor: N of the functions marked ? is inexact by at most so many",
                  COUNT(counting->inexact, "call was", "calls were"));
    if (counting->counted && b->options->thread)
        tree_warn(b, "counters of calls do not tell threads apart: N of counted functions is that of calls that were "
                     "timed (leave out --thread)");
}

static void warn_of_threads(struct tree_builder *b)
{
    const struct findings *f = &b->found;
    if (f->uncertain)
        tree_warn(b, "the attribution of %llu %s is uncertain, in %u of %zu threads",
                  COUNT(f->uncertain, "call", "calls"), f->uncertain_threads, b->tree->thread_count);
    if (f->abandoned)
        tree_warn(b, "%llu %s left by a jump or an exception and timed until then",
                  COUNT(f->abandoned, "activation was", "activations were"));
    if (f->unmatched)
        tree_warn(b, "%llu %s no enter and were ignored", COUNT(f->unmatched, "exit had", "exits had"));
    if (f->backwards)
        tree_warn(b, "the clock stepped back in %llu %s, in %u of %zu threads (try --clock monotonic)",
                  COUNT(f->backwards, "activation", "activations"), f->backwards_threads, b->tree->thread_count);
    if (b->tree->knows_waiting) /* times say so themselves */
        return;
    if (f->off_cpu_threads == 1)
        tree_warn(b, "thread %s was off its processor for %.0f %% of its time; times are wall time", f->off_cpu_name,
                  100 * f->off_cpu_worst);
    else if (f->off_cpu_threads)
        tree_warn(b,
                  "%u threads were off their processors for more than 2 %% of their time, most of all %s with %.0f %%; "
                  "times are wall time",
                  f->off_cpu_threads, f->off_cpu_name, 100 * f->off_cpu_worst);
}

static void warn_of_processes(struct tree_builder *b)
{
    const struct findings *f = &b->found;
    if (f->live == 1)
        tree_warn(b, "process %d is still running: open activations are counted until now", f->one_live);
    else if (f->live)
        tree_warn(b, "%u processes are still running: open activations are counted until now", f->live);
    if (f->killed == 1)
        tree_warn(b,
                  "process %d did not reach its end (killed, _exit or exec): open activations are closed at the last "
                  "event",
                  f->one_killed);
    else if (f->killed)
        tree_warn(b,
                  "%u processes did not reach their end (killed, _exit or exec): open activations are closed at the "
                  "last event",
                  f->killed);
}

static void warn_of_model(struct tree_builder *b)
{
    const struct findings *f = &b->found;
    if (f->uncalibrated && b->tree->model != PCOMP_MODEL_NONE)
        tree_warn(b, "a process has no calibration: its compensated times are its raw times");
    if (f->traced)
        tree_warn(b, "another process traced the program, as a debugger does: times contain its stops, which the "
                     "uncertainty does not allow for");
    if (fabs(f->drift) > DRIFT)
        tree_warn(b,
                  "the cost of a measurement changed by %+.0f %% between start and exit of process %d (the uncertainty "
                  "allows for it)",
                  100 * f->drift, f->drift_pid);
    if (f->catches && (double)f->catches * WIDEN_CATCH_NS > EXCEPTIONS * b->tree->total_all_threads.compensated)
        tree_warn(
            b,
            "%.0f exceptions were caught: each function with hook calls that they pass takes some 0.5 µs more, which "
            "is not taken off (the uncertainty allows for it; sleds, see pcomp flags, have no such cost)",
            (double)f->catches);
    if (f->speed > UNSTEADY)
        tree_warn(
            b,
            "the machine was not steady: another run may take %.1f %% longer or shorter (the uncertainty allows for "
            "it)",
            100 * f->speed);
    if (f->models_differ)
        tree_warn(b, "processes were measured under different models; %s is used for all",
                  pcomp_model_name(b->tree->model));
    if (f->not_rederived)
        tree_warn(b, "times %s cannot be derived under another model: %s is shown, as recorded",
                  b->tree->how.replayed ? "of a replay" : "with folded recursion",
                  b->tree->how.replayed ? "that of the replay" : pcomp_model_name(b->tree->model));
}

void tree_finish_warnings(struct tree_builder *b)
{
    warn_of_processes(b);
    warn_of_losses(b);
    warn_of_trace_budget(b);
    warn_of_counts(b);
    warn_of_threads(b);
    warn_of_model(b);
}
