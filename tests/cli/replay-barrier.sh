# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data -o event | sed 's/; bookkeeping.*//'
echo
pcomp report event --times both
echo
pcomp report event --view waiting | sed 's,/.*/,,'
echo
pcomp info event | sed '1d; s,/.*/,,' | head -n 4
# Each thread for itself: the barrier is an event as any other.
pcomp replay data -o time --model time --format csv
pcomp report time --view tree | tail -n 9
# Of a replay nothing can be derived under another model of overhead.
pcomp report event --model paper | tail -n 1
pcomp report event --model none --format json | grep -o '"model": "[a-z]*", "mode": "[a-z]*"'
