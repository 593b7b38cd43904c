#!/bin/bash
# budgets.sh: programs whose functions are timed, counted and sampled as the default decides run as they did, and their profiles
# obey the laws. What they expect of counts is not held: those of sampled functions are estimates.
. "$(dirname "$0")/case.sh"

# one COMPILER LINK STATUS FLAGS SOURCE...
one()
{
    local compiler=$1 link=$2 status=$3 flags=$4 sources=() source
    shift 4
    for source; do
        sources+=("$SOURCES/programs/$source")
    done
    drop "$PCOMP_DATA"
    build "$compiler" "$link" program "$flags -DCOUNTED" "${sources[@]}"
    export PCOMP_OPTIONS="$mode_options"
    if [ "$link" = preload ]; then
        run "$status" env LD_PRELOAD="$LIBDIR/libpcomp.so" "$work/program"
    else
        run "$status" "$work/program"
    fi
    silent
    : > "$work/out"
    MODE=decided check "expect torn" "expect most uncertain 1000000000" "expect most abandoned 1000000000" \
        "expect most unmatched 1000000000" "expect most beyond 1000000000" "expect most late 1000000000" \
        "expect most lost 1000000000" "expect most inexact 1000000000"
}
mode_options=
for link in shared static preload; do
    one gcc $link 42 -O2 call_shapes.c
    one gcc $link 0 "-O2 -DTHREADS=300" threads.c
    one gcc $link 0 -O2 signals.c
done
for _ in 1 2 3; do
    one gcc shared 0 "-O2 -DSLOW_HANDLER" signals.c
done
one gcc fullstatic 42 -O2 call_shapes.c
one clang shared 0 -O2 jumps.c
one gcc shared 0 -O2 processes.c
one gcc shared 0 -O2 raw_children.c
one gcc shared 0 -O2 coroutines.c
one gcc shared 0 -O2 deep.c
one gcc shared 0 "-O2 -DOTHER_STACK" jumping_handlers.c
one g++ shared 3 -O2 mixed.cc mixed_c.c
one gcc shared 0 -O2 exit_in_calls.c
one g++ shared 0 -O2 regions.cc
mode_options="--skip [a-m]*"
one gcc shared 0 "-O2 -DTHREADS=300" threads.c
one gcc shared 0 -O2 signals.c
mode_options="--budget 0.5%"
one gcc shared 0 "-O2 -DTHREADS=1000" threads.c
one gcc shared 42 -O2 call_shapes.c
one clang shared 0 -O2 jumps.c
one gcc shared 0 -O2 processes.c
one g++ shared 3 -O2 mixed.cc mixed_c.c
finish
