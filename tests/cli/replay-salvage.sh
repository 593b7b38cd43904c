# Of damaged traces the longest prefix, in time, in which nothing is wrong.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
make_trace backwards <<"END"
location main
1000 enter main
1100 enter f
1200 exit f
1300 exit main
location other pid=1000
1000 enter g
1150 exit g
1120 enter h
1250 exit h
END
pcomp replay backwards -o out --salvage | sed 's/; bookkeeping.*//'
pcomp report -q out --sort name | tail -n 4

# The worker's end is in no trace: what comes before the join is replayed.
make_trace no-cause <<"END"
location main pid=1000
1000 enter main
1010 create 7
1100 enter f
1200 exit f
1300 join_begin 7
1400 join_end 7
1500 exit main
location worker pid=1000
1030 start 7
1040 enter work
1240 exit work
END
pcomp replay no-cause -o out --salvage --format csv

message_trace lacks-rank && rm lacks-rank/2000*
pcomp replay lacks-rank -o out --salvage --format csv
