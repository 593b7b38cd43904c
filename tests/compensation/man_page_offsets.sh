#!/bin/bash
# man_page_offsets.sh SOURCE COMPILER: the tables of pcomp-data(5) and pcomp-trace(5) are the layout that the compiler
# gives to the headers in profiler/: every field, its offset, its width, and the size of every record; and every kind of
# event has its number.
set -eu
source=$1
compiler=$2
kinds=$(awk '/^enum pcomp_event_kind/ { on = 1 } on && /^};/ { exit }
    on { n += gsub(/PCOMP_EVENT_[A-Z_]+ *=/, "") } END { print n }' "$source/compensation/trace_event/event.h")
pages="$source/docs/man/pcomp-data.5 $source/docs/man/pcomp-trace.5"
program=$(mktemp --suffix=.c)
trap 'rm -f "$program"' EXIT

# shellcheck disable=SC2086
awk -v all_kinds="$kinds" '
BEGIN {
    split("offset 24 char 1 u8 1 u16 2 longest 16 u32 4 i32 4 u64 8 i64 8 f64 8 delta 64 counter 128 sums 144", t, " ")
    for (i = 1; i in t; i += 2)
        width[t[i]] = t[i + 1]
    print "#include \"profiler/format/profile_format.h\"\n#include \"profiler/format/trace_format.h\"\n#include <stddef.h>"
}
$1 == ".\\\"" && $2 == "struct" { record = $3; end = 0; tables++ }
record && $1 == ".It" && $2 ~ /^[0-9]+$/ {
    type = $4
    count = 1
    if (match(type, /\[[0-9]+\]/)) {
        count = substr(type, RSTART + 1, RLENGTH - 2)
        type = substr(type, 1, RSTART - 1)
    }
    printf "_Static_assert(offsetof(struct %s, %s) == %d && sizeof(((struct %s *)0)->%s) == %d && %d == %d, \"%s.%s\");\n",
        record, $6, $2, record, $6, width[type] * count, $2, end, record, $6
    end = $2 + width[type] * count
}
record && $1 == ".El" {
    printf "_Static_assert(sizeof(struct %s) == %d, \"size of %s\");\n", record, end, record
    record = ""
}
!record && $1 == ".It" && $2 ~ /^[0-9]+$/ && $3 == "Ta" && $4 ~ /^[A-Z_]+$/ {
    printf "_Static_assert(PCOMP_EVENT_%s == %d, \"kind %s\");\n", $4, $2, $4
    kinds++
}
END {
    if (tables < 15)
        print "#error only " tables " tables found"
    if (kinds != all_kinds)
        print "#error " kinds " of " all_kinds " kinds of events found"
}
' $pages >"$program"

if ! "$compiler" -std=gnu11 -fsyntax-only -I"$source" "$program"; then
    echo "docs/man/*.5 and the headers disagree; see the first error above"
    exit 1
fi
