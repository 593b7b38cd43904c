#!/bin/bash
# run_case.sh COMPILER LINK STATUS FLAGS OPTIONS SOURCE... : one program, built and run in one way, against what it says
# of itself. The error output must be empty.
. "$(dirname "$0")/case.sh"
compiler=$1 link=$2 status=$3 flags=$4 options=$5
shift 5
sources=()
for source; do
    sources+=("$SOURCES/programs/$source")
done
case $options in
*--counters*)
    counters=${options#*--counters }
    lacks=$("$PCOMP" record --counters "${counters%% *}" -- true 2>&1) || skip "${lacks%% (*}"
    ;;
esac
build "$compiler" "$link" program "$flags" "${sources[@]}"
[ -n "$options" ] && export PCOMP_OPTIONS="$mode_options $options"
if [ "$link" = preload ]; then
    run "$status" env LD_PRELOAD="$LIBDIR/libpcomp.so" "$work/program"
else
    run "$status" "$work/program"
fi
silent
check
finish
