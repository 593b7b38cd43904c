# A report of what a replay made has the replay's uncertainty, which has that of alpha in it.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data -o replayed | sed -n 's/^approximated  T_a  *//p'
pcomp report replayed | sed -n '1s/;.*//p'

# A function has the uncertainty of what was removed there: quiet of two events, busy of 202.
make_trace uneven command=./uneven alpha=10 <<"END"
location main pid=1000
1000 enter main
1010 enter busy
repeat 100 20
1020 enter step
1030 exit step
end
3020 exit busy
3030 enter quiet
9030 exit quiet
9040 exit main
END
pcomp replay uneven -o replayed-uneven >/dev/null
pcomp report replayed-uneven --limit 0
