#!/bin/bash
# arm64.sh: the library, cross-built, measures on arm64 as it does here, run by qemu-user; this machine's command reads what it
# leaves. Sites cannot be turned off there, and no samples are taken: every call is timed, which the command says.
. "$(dirname "$0")/case.sh"
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do
    command -v $tool > /dev/null || skip "no $tool here"
done
cmake -S "$TOP" -B "$work/arm64" -DPCOMP_COMMAND=OFF -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ > "$work/log" 2>&1 &&
    cmake --build "$work/arm64" -j 2 --target pcomp_shared pcomp_static >> "$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; fail "the library does not build for arm64"; finish; }
LIBDIR=$(dirname "$(find "$work/arm64" -name libpcomp.so)")
export PCOMP_RUN_ID=0123456789abcdef0123456789abcdef # the emulator makes up when a process began, by which a live one is known
emulated=(qemu-aarch64 -L /usr/aarch64-linux-gnu)

# one MODE LINK STATUS FLAGS SOURCE...
one()
{
    local link=$2 status=$3 flags=$4 compiler=aarch64-linux-gnu-gcc sources=() source preload=()
    MODE=$1
    shift 4
    for source; do
        sources+=("$SOURCES/programs/$source")
        case $source in *.cc) compiler=aarch64-linux-gnu-g++ ;; esac
    done
    case $MODE in
    trace) export PCOMP_OPTIONS="--trace" ;;
    counts) export PCOMP_OPTIONS="--counts exact" ;;
    *) export PCOMP_OPTIONS="" ;;
    esac
    drop "$PCOMP_DATA"
    build $compiler "$link" program "$flags" "${sources[@]}"
    [ "$link" = preload ] && preload=(-E "LD_PRELOAD=$LIBDIR/libpcomp.so")
    run "$status" "${emulated[@]}" "${preload[@]}" "$work/program"
    silent
    check
}
one full shared 42 -O0 call_shapes.c
one full preload 42 -O2 call_shapes.c
one counts shared 42 -O2 call_shapes.c
one full fullstatic 42 -O2 call_shapes.c
one trace shared 42 -O2 call_shapes.c
one full shared 0 "-O2 -DTHREADS=100" threads.c
one full shared 0 "-O2 -DJUMPS_KNOWN" jumps.c
one full shared 3 "-O2 -DEXITS_RUN" mixed.cc mixed_c.c
one full shared 0 -O2 signals.c
one full shared 0 "-O2 -DEMULATED" processes.c

# killed: what it had called is there, and the command here reads and names it, and says how it was measured
drop "$PCOMP_DATA"
MODE=full build aarch64-linux-gnu-gcc shared program -O2 "$SOURCES/programs/endings.c"
run 137 bash -c '"$@" 2> errors; exit $?' x "${emulated[@]}" "$work/program" kill
MODE=full check
"$PCOMP" report --format csv "$PCOMP_DATA" > "$work/report" 2> /dev/null || fail "the profile of arm64 is not reported"
grep -q '^main,' "$work/report" || fail "the functions of arm64 have no names: $(head -3 "$work/report")"
"$PCOMP" info "$PCOMP_DATA" 2>&1 | grep -q 'call sites can be turned off on x86-64 only' || fail "pcomp info does not say that sites stay on"
finish
