#!/bin/bash
# mpi_nodes.sh MPI: two ranks on machines of two names, which are this one: what messages cost between them is measured
# apart from that of one machine, written, and used by the replay of traces that name both. Needs the right to give a
# machine another name.
. "$(dirname "$0")/case.sh"
mpi=$1
for tool in "mpicc.$mpi" "mpirun.$mpi"; do
    command -v "$tool" > /dev/null || skip "no $tool here"
done
unshare --uts hostname pcomp-far 2> /dev/null || skip "no machine can be given another name here"
here=$(hostname)
getent hosts "$here" > /dev/null || skip "this machine's name, $here, has no address, which MPICH looks for"
exec < /dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_backing_directory="$work" OMPI_MCA_orte_tmpdir_base="$work" PRTE_MCA_prte_tmpdir_base="$work"
export OMPI_MCA_btl_tcp_if_include=lo # Open MPI 5 writes of network interfaces that reach nobody
# as ssh: AGENT [-OPTION...] HOST COMMAND...
cat > "$work/agent" << 'SH'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$*"' "$host" "$@"
SH
chmod +x "$work/agent"
export OMPI_MCA_plm_rsh_agent="$work/agent" PRTE_MCA_plm_ssh_agent="$work/agent"
export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC="$work/agent"
hosts=(-ppn 1 -hosts "$here,pcomp-far")
[ "$mpi" = openmpi ] && hosts=(--mca mpi_yield_when_idle 1 --host "$here:1,pcomp-far:1")

run 0 "$PCOMP" calibrate --mpi="$mpi" --host pcomp-far -o communication --format json
grep -q '"between_nodes": {"host": "pcomp-far"' "$work/out" || fail "nothing of messages between nodes: $(head -c 300 "$work/out")"
for word in threshold eager rendezvous copy; do
    grep -q "^$word " "$work/communication" || fail "the file lacks: $word"
    grep -q "^nodes $word " "$work/communication" || fail "the file lacks: nodes $word"
done
run 1 "$PCOMP" calibrate --mpi="$mpi" --host "$here"
grep -q -- "--host $here: is this machine" "$work/err" || fail "this machine is another one: $(cat "$work/err")"

"mpicc.$mpi" -w -o "$work/program" "$SOURCES/programs/mpi_meetings.c" || fail "the program does not build"
run 0 "$PCOMP" record --trace -o "$PCOMP_DATA" -- "mpirun.$mpi" -n 2 "${hosts[@]}" ./program
nodes=$(for trace in "$PCOMP_DATA"/*.0.trace; do od -An -t x8 -j 3888 -N 8 "$trace"; done | grep -v ' 0000000000000000' | sort -u | wc -l)
[ "$nodes" = 2 ] || fail "the traces name $nodes machines"
grep -v "^nodes " "$work/communication" > "$work/near"
for file in near communication; do
    run 0 "$PCOMP" replay "$PCOMP_DATA" --communication "$file" -o "$work/$file.replayed"
    grep -c "messages between nodes are taken" "$work/out"
done > "$work/notes"
[ "$(xargs < "$work/notes")" = "1 0" ] || fail "notes of messages between nodes: $(xargs < "$work/notes")"
finish
