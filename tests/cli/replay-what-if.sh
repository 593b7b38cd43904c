# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data --what-if all
pcomp replay data --what-if all --format json
pcomp replay data -o faster --what-if work=2x | head -n 5
pcomp replay data -o faster --what-if none=2x; echo $?
# The main thread stands before the barrier first; one processor is enough for that.
pcomp replay data -o one --cores 1 | sed 's/; bookkeeping.*//'
