#!/bin/bash
# mpi_job.sh MPI RANKS WAY PROGRAM: a program of MPI (mpich or openmpi), run without pcomp and then with a trace, must
# print the same and end alike, and its traces must obey the laws. WAY, how pcomp gets into it:
#   around   pcomp record -- mpirun PROGRAM            inside   mpirun pcomp record -- PROGRAM
#   linked   linked with libpcomp-MPI.so, around       static   linked with the static libraries, no record
#   bare     uninstrumented, around: only MPI is seen
#   large    around; calls the functions that have counts of 64 bits (MPI 4)
# Besides the environment of case.sh: PCOMP, CHECK_MESSAGES.
. "$(dirname "$0")/case.sh"
mpi=$1 ranks=$2 way=$3 program=$4
for tool in "mpicc.$mpi" "mpirun.$mpi"; do
    command -v "$tool" > /dev/null || skip "no $tool here"
done
exec < /dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# what Open MPI leaves of ranks that it ends, because one has failed
export OMPI_MCA_btl_vader_backing_directory="$work" OMPI_MCA_orte_tmpdir_base="$work" PRTE_MCA_prte_tmpdir_base="$work"

flags="-finstrument-functions" libraries=
case $way in
bare) flags= ;;
large)
    echo 'int main(void) { return !MPI_Send_c; }' > "$work/asks.c"
    "mpicc.$mpi" -w -include mpi.h -o "$work/asks" "$work/asks.c" 2> "$work/asks.err" ||
        skip "$mpi has no counts of 64 bits: $(head -n 1 "$work/asks.err")"
    flags="$flags -Werror=incompatible-pointer-types -include $SOURCES/programs/mpi_large.h"
    ;;
linked) libraries="-L$LIBDIR -Wl,--no-as-needed -lpcomp-$mpi -lpcomp -Wl,-rpath,$LIBDIR" ;;
static) libraries="$LIBDIR/libpcomp-$mpi.a $LIBDIR/libpcomp.a -ldl -lpthread" ;;
esac
# shellcheck disable=SC2086
"mpicc.$mpi" -g -O1 $flags -o "$work/program" "$SOURCES/programs/$program.c" $libraries || {
    fail "$program does not build"
    finish
}

launcher=("mpirun.$mpi" -n "$ranks")
[ "$mpi" = openmpi ] && launcher+=(--oversubscribe --mca mpi_yield_when_idle 1)
(cd "$work" && "${launcher[@]}" ./program) > "$work/plain" 2> "$work/plain-err"
status=$?

case $way in
inside) run $status "${launcher[@]}" "$PCOMP" record --trace -o "$PCOMP_DATA" -- ./program ;;
static) run $status env PCOMP_OPTIONS=--trace PCOMP_RUN_ID=00112233445566778899aabbccddeeff "${launcher[@]}" ./program ;;
*) run $status "$PCOMP" record --trace -o "$PCOMP_DATA" -- "${launcher[@]}" ./program ;;
esac
cmp "$work/plain" "$work/out" || fail "the program prints something else"
[ -s "$work/plain" ] || fail "the program prints nothing"
grep -q '^expect ranks' "$work/out" || fail "the program does not say what it did"
grep '^pcomp: ' "$work/err" | grep -v 'recorded in' && fail "pcomp complains"

locations=$(awk '$2 == "locations" { print $3 }' "$work/out")
[ "$(find "$PCOMP_DATA" -name '*.trace' | wc -l)" -eq "${locations:-$ranks}" ] ||
    fail "there is not one trace for each rank or thread: $(ls "$PCOMP_DATA")"
"$CHECK_MESSAGES" "$work/out" "$PCOMP_DATA"/*.trace > "$work/misses" || {
    fail "the traces are not as they must be"
    head -20 "$work/misses" >&2
}
finish
