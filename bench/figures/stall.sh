# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# The worst time that a hook waits for the file system.

figure "worst stall of a hook: $seconds s, 40 MB of hot nodes, data directory on disk, another process writing"
fact "file system of the data directory" "$(stat -f -c %T .)"
# Write-back under load: a gigabyte in turns, pressed to disk each time.
(
    trap 'rm -f load; exit 0' TERM
    while :; do
        dd if=/dev/zero of=load bs=1M count=256 conv=fsync,notrunc 2>/dev/null
    done
) &
writer=$!
trap 'kill "$writer" 2>/dev/null; wait "$writer" 2>/dev/null' EXIT
"$programs/bench_stall_probe_full" "$seconds" >gaps
live_bytes=$(bytes_in "$PCOMP_DATA")
fact "profile" "$(calc "$live_bytes / 1048576" 1)" "MiB; page faults in the run $(value_of gaps faults)"
show() {
    fact "$1: worst gap" "$(value_of gaps "$2_worst_ms")" "ms ($(value_of gaps "$2_over_1ms") above 1 ms)"
    fact "$1: worst while another process ran" "$(value_of gaps "$2_preempted_ms")" ms
    fact "$1: worst while the host had the processor" "$(value_of gaps "$2_host_ms")" ms
    fact "$1: worst with page faults or waiting" "$(value_of gaps "$2_file_system_ms")" ms
}
show "hooks" hooks
show "control without hooks" control
at_most "worst stall of a hook from the file system" "$(value_of gaps hooks_file_system_ms)" ms 5