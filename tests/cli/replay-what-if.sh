# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data --what-if all
pcomp replay data --what-if all --format json
pcomp replay data -o faster --what-if work=2x | head -n 5
pcomp replay data -o faster --what-if none=2x; echo $?

# Calls of light are counted from some time on: their time is their caller's, and what if they were faster is not known.
pcomp record -q --trace -o counted -- spin 10 >spun
pcomp replay counted -o refused --what-if light=2x; echo $?
ls -d refused* 2>/dev/null
pcomp replay counted --what-if all >ranking
grep -c '^note: calls of .*light.* were counted and not recorded' ranking
grep -c ' light$' ranking

# The main thread stands before the barrier first; one processor is enough for that.
pcomp replay data -o one --cores 1 | sed 's/; bookkeeping.*//'
