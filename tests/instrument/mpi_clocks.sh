#!/bin/bash
# mpi_clocks.sh MPI: a process in another time namespace has another CLOCK_MONOTONIC, 1000 s ahead of rank 0: its offset is
# measured at the start and at the end. Needs the right to make such a namespace.
. "$(dirname "$0")/case.sh"
mpi=$1
for tool in "mpicc.$mpi" "mpirun.$mpi"; do
    command -v "$tool" > /dev/null || skip "no $tool here"
done
unshare --time --monotonic 1000 true 2> /dev/null || skip "no time namespace can be made here"
exec < /dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# what Open MPI leaves of ranks that it ends, because one has failed
export OMPI_MCA_btl_vader_backing_directory="$work" OMPI_MCA_orte_tmpdir_base="$work" PRTE_MCA_prte_tmpdir_base="$work"
"mpicc.$mpi" -w -o "$work/program" "$SOURCES/programs/mpi_collectives.c" || fail "the program does not build"
launcher=("mpirun.$mpi")
[ "$mpi" = openmpi ] && launcher+=(--oversubscribe --mca mpi_yield_when_idle 1)
# one command for both: mpirun of Open MPI 5.0.7 crashes where there are two
cat > "$work/ahead" << 'SH'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] && exec "$@"
exec unshare --time --monotonic 1000 "$@"
SH
chmod +x "$work/ahead"
run 0 "$PCOMP" record --trace --clock monotonic -o "$PCOMP_DATA" -- "${launcher[@]}" -n 2 ./ahead ./program
echo "expect clocks 1" | cat - "$work/out" > "$work/expectations"
"$CHECK_MESSAGES" "$work/expectations" "$PCOMP_DATA"/*.trace > "$work/misses" || {
    fail "the traces are not as they must be on one clock"
    head -5 "$work/misses" >&2
}
drop "$PCOMP_DATA"

# Ranks that meet for seconds measure on the way; rank 0 has nothing to measure.
"mpicc.$mpi" -w -o "$work/meetings" "$SOURCES/programs/mpi_meetings.c" || fail "the second program does not build"
run 0 "$PCOMP" record --trace --clock monotonic -o "$PCOMP_DATA" -- "${launcher[@]}" -n 2 ./ahead ./meetings
measured=$(for trace in "$PCOMP_DATA"/*.0.trace; do od -An -t d4 -j 40 -N 4 "$trace"; od -An -t u4 -j 2348 -N 4 "$trace"; done | xargs)
case $measured in
"0 0 1 "[1-3] | "1 "[1-3]" 0 0") ;;
*) fail "ranks and offsets measured on the way: $measured" ;;
esac
"$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" > "$work/summary" 2>&1 || fail "not replayed: $(tail -1 "$work/summary")"
grep -q "violations 0" "$work/summary" || fail "$(grep violation "$work/summary")"
finish
