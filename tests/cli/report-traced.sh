# Who recorded a trace has a profile without replaying it: each thread compensated for its own events.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
pcomp report -v data
pcomp report data --thread 1001 --format csv | cut -d , -f 1,7-12
pcomp report data --view waiting; echo $?
pcomp compare data | sed -n 3,5p
make_profile counted </dev/null
pcomp report counted --view waiting; echo $?
# Killed: activations that were open end with the last event.
make_trace cut <<"END"
location main
1000 enter main
1100 enter f
1150 unwind 1
1200 enter f
1300 exit g
END
pcomp report cut --times raw
ls
# what recording cost: the calls, and what else was recorded
pcomp report data --view cost --sort name
pcomp info data | grep cost
pcomp replay data -o replayed >/dev/null
pcomp report replayed --view cost 2>&1 | sed "s|$PWD|PWD|"
# no percentiles of three activations and more, and why
make_trace thrice <<"END"
location main
1000 enter main
1100 enter f
1150 exit f
1200 enter f
1300 exit f
1310 enter f
1370 exit f
1400 exit main
END
pcomp report thrice --view spread | sed -n '/time of one/,$p'
