# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data -o event --actual 0.0000003 --format json | sed 's/"window_bytes": [0-9]*, //'
pcomp report event --view waiting --format json | sed 's,"/[^"]*/,",'
pcomp report event --view waiting --format csv
pcomp report event --format json | grep -o '"schema": .*"total_all_threads"'
