#include "reporters/diff/diff_cells.h"

#include "reporters/base/text.h"
#include "reporters/diff/diff_match.h"
#include "reporters/report/report_common.h"

#include <math.h>

void diff_emit_change(struct emitter *emitter, double change)
{
    char text[TEXT_NUMBER];
    emit_time(emitter, change);
    if (!isnan(change))
        emit_shown(emitter, "%s", text_time_signed(text, change));
}

void diff_emit_share(struct emitter *emitter, double share)
{
    char text[TEXT_NUMBER];
    emit_share(emitter, share);
    if (!isnan(share))
        emit_shown(emitter, "%s", text_percent_signed(text, share));
}

void diff_emit_relative(struct emitter *emitter, bool before_has, bool after_has, double change, double before,
                        double uncertainty)
{
    char text[TEXT_NUMBER];
    emit_share(emitter, report_ratio(change, before));
    if (!before_has || !after_has)
        emit_shown(emitter, "%s", before_has ? "gone" : "new");
    else if (!isnan(change))
        emit_shown(emitter, "%s", diff_relative(text, change, before, uncertainty));
}
