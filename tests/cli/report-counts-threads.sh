# Counters do not tell threads apart: what counting cost is shared out by how long threads lived, and the uncertainty
# has the rest. The calls of a thread are not known where there are several.
make_profile data flags=512 price=1 ended=1 <<"END"
main 1 9000000
thread w1
work 10 5000000
thread w2
work 10 5000000
count spin 1000000 live counted
count spin 2000000 ended counted
END
pcomp report -v data --times compensated
pcomp report data --format json | grep '"total\|"calls": null' | sed 's/"raw".*//'
tid=1001
pcomp report data --thread $tid --times compensated
# N over processes, one of which was killed, and one that was recorded in full mode
make_profile data flags=512 price=1 pid=1001 state=killed <<"END"
main 1 1000000
  spin 5 100
count spin 95 live counted
END
make_profile data pid=1002 <<"END"
main 1 1000000
  spin 5 100
END
pcomp report -v data --times compensated 2>&1 | sed -n "1,/^$/p;/spin/p;/^note/p"
