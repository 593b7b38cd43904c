#!/bin/bash
# mpi_calibrate.sh MPI: `pcomp calibrate --mpi` measures every size, finds that larger messages take longer, and writes a
# file of that. No figure is held to a value.
. "$(dirname "$0")/case.sh"
mpi=$1
command -v "mpirun.$mpi" > /dev/null || skip "no $mpi here"
export OMPI_MCA_btl_tcp_if_include=lo # Open MPI 5 writes of network interfaces that reach nobody
run 0 "$PCOMP" calibrate --mpi="$mpi" -o communication --format csv < /dev/null
awk -F, -v mpi="$mpi" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { bytes = $column["bytes"]; time = $column["time_ns"]
      if (bytes != 2 * last && last) { print "sizes do not double: " bytes; bad = 1 }
      if (time <= 0 || $column["copy_ns"] <= 0) { print "no time: " $0; bad = 1 }
      if (NR == 2) first = time
      last = bytes; longest = time }
    END { if (last != 4194304) { print "the largest is " last; bad = 1 }
          if (longest <= first) { print "4 MiB take no longer than a byte"; bad = 1 }
          exit bad }' "$work/out" || {
    fail "the figures are not as they must be"
    head -5 "$work/out" >&2
}
head -n 1 "$work/communication" | grep -qx 'pcomp-communication 1' || fail "the file has another head"
for word in mpi threshold eager rendezvous copy; do
    grep -q "^$word " "$work/communication" || fail "the file lacks: $word"
done
silent
finish
