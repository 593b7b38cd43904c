# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp replay data --what-if all
pcomp replay data --what-if all --format json
pcomp replay data -o faster --what-if work=2x | head -n 5
pcomp replay data -o faster --what-if none=2x; echo $?

# From 1150 on, calls of step are counted: their time is in work, and what if they were faster is not known.
make_trace counted <<"END"
location main pid=1000
1000 enter main
1050 enter work
1100 enter step
1120 exit step
1150 counted step
1400 exit work
1500 exit main
END
pcomp replay counted -o faster --what-if step=2x; echo $?
pcomp replay counted --what-if all --format json
pcomp replay counted --what-if all | tail -n 1

# The main thread stands before the barrier first; one processor is enough for that.
pcomp replay data -o one --cores 1 | sed 's/; bookkeeping.*//'
