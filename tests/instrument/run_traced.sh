#!/bin/bash
# run_traced.sh COMPILER LINK FLAGS OPTIONS SAME SOURCE... : a program, built and run in one way under --trace; its
# traces must obey the laws of synchronisation, agree with what it says of itself and be replayed. SAME: its output must be that of
# the program left alone, and of the program measured without a trace. The error output must be empty.
. "$(dirname "$0")/case.sh"
compiler=$1 link=$2 flags=$3 options=$4 same=$5
shift 5
sources=()
for source; do
    sources+=("$SOURCES/programs/$source")
done
environment=()
[ "$link" = preload ] && environment=("LD_PRELOAD=$LIBDIR/libpcomp.so")
flags="-I$TOP/instrument $flags"
build "$compiler" "$link" program "$flags" "${sources[@]}"
if [ "$same" = SAME ]; then
    build "$compiler" none alone "$flags" "${sources[@]}"
    run 0 "$work/alone"
    mv "$work/out" "$work/wanted"
    run 0 env "${environment[@]}" "$work/program"
    silent
    diff "$work/wanted" "$work/out" > "$work/differences" || fail "measured: $(head -5 "$work/differences")"
    drop "$PCOMP_DATA"
fi
run 0 env PCOMP_OPTIONS="--trace --trace-all $options" "${environment[@]}" "$work/program"
case $options in
*--trace-limit*) says "--trace-limit" ;;
*) silent ;;
esac
if [ "$same" = SAME ]; then
    diff "$work/wanted" "$work/out" > "$work/differences" || fail "traced: $(head -5 "$work/differences")"
fi
set -- "$PCOMP_DATA"/*.trace
[ -e "$1" ] || fail "there is no trace in $PCOMP_DATA"
case $options in
*--trace-limit*) ;; # what is left of it need not be whole
*)
    "$CHECK_SYNC" "$work/out" "$@" > "$work/misses" 2>&1 || fail "the trace is not as expected: $(head -15 "$work/misses")"
    "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json > "$work/replay" 2>&1 ||
        fail "the trace is not replayed: $(tail -5 "$work/replay")"
    ;;
esac
finish
