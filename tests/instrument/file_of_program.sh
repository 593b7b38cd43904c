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

without_proc="umount -l /proc"
in_namespace "$without_proc" || without_proc=
[ "$without_proc" ] || echo "programs without /proc are left out: it may not be taken away here"
for form in gcc gcc-sleds; do
    (sites_of $form) > /dev/null || { echo "$form is left out: no plugin"; continue; }
    build $form shared program -O1 "$SOURCES/programs/alternating.c"
    loader=$(readelf -p .interp "$work/program" | grep -o '/[^ ]*ld[^ ]*')
    run 0 "$loader" ./program
    named "$form, run by the loader"
    if [ "$without_proc" ]; then
        in_namespace "$without_proc && cd '$work' && ./program > out 2> err" || fail "$form does not end without /proc"
        named "$form, without /proc"
    fi
done
finish
