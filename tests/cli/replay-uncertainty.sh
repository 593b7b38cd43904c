# A report of what a replay made has the replay's uncertainty, which has that of alpha in it.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data -o replayed | sed -n 's/^approximated  T_a  *//p'
pcomp report replayed | sed -n '1s/;.*//p'
