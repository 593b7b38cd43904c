#!/bin/bash
# file_of_program.sh: a program's sleds, and the names of its functions, are found where /proc/self/exe is not its file.
. "$(dirname "$0")/case.sh"
. "$TOP/tests/cli/stock_settings.sh"

# The functions that the program calls are in the profile, by their names.
named()
{
    "$PCOMP" report --format csv "$PCOMP_DATA" > "$work/csv" 2> "$work/err" || fail "$1: not read: $(cat "$work/err")"
    for function in main leaf; do
        grep -q "^$function," "$work/csv" || fail "$1: no $function in $(head -5 "$work/csv")"
    done
    drop "$PCOMP_DATA"
}

forms=
for form in gcc gcc-sleds; do
    (sites_of $form) > /dev/null || { echo "$form is left out: no plugin"; continue; }
    forms="$forms $form"
    build $form shared $form -O1 "$SOURCES/programs/alternating.c"
    loader=$(readelf -p .interp "$work/$form" | grep -o '/[^ ]*ld[^ ]*')
    run 0 "$loader" ./$form
    named "$form, run by the loader"
done
[ "$failures" = 0 ] || finish

in_namespace "umount -l /proc" || skip "/proc cannot be taken away here; programs run by the loader passed"
for form in $forms; do
    in_namespace "umount -l /proc && cd '$work' && ./$form > out 2> err" || fail "$form does not end without /proc"
    named "$form, without /proc"
done
finish
