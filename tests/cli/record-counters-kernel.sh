# Where the kernel counts what PAPI lacks, the message names the way.
papi=$(dirname "$(command -v counted_work)")/known_papi
export LD_LIBRARY_PATH="$papi${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" KNOWN_PAPI_DISABLED="no default PMU"
perf stat -e page-faults -- true >/dev/null 2>&1 || skip "perf stat does not count page faults here"
pcomp record --counters perf::PAGE-FAULTS -- counted_work 2>&1 | grep -o 'the kernel counts .*page-faults'
pcomp record --counters perf::CONTEXT-SWITCHES -- counted_work 2>&1 | grep -o 'the kernel counts .*switches'
pcomp record --counters perf::NO-SUCH -- counted_work 2>&1 | grep -c 'the kernel counts'
without_perf pcomp record --counters perf::PAGE-FAULTS -- counted_work 2>&1 | grep -c 'the kernel counts'
exit 0
