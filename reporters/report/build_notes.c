#include "reporters/report/build_notes.h"

#include "reporters/base/text.h"
#include "reporters/symbols/build_switches.h"

static bool has_lines(const struct call_tree *tree)
{
    for (size_t i = 1; i < tree->function_count; i++)
        if (tree->functions[i].file)
            return true;
    return false;
}

void report_build_notes(struct emitter *emitter, const struct call_tree *tree)
{
    const char *program = NULL;
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main)
            program = tree->processes[i].executable;
    if (!program || *program != '/')
        return;
    enum build_form form = build_form_read(program);
    if (form == BUILD_NO_LINES && !has_lines(tree))
        emitter_note(emitter,
                     "%s was built without -g: functions have no source lines (build it with -g; that costs "
                     "no time)",
                     text_basename(program));
    else if (form == BUILD_UNOPTIMISED)
        emitter_note(emitter,
                     "%s was built without optimisation: an optimised build spends its time elsewhere (build "
                     "it with -O2)",
                     text_basename(program));
}
