# Where messages took part, the replay is three data directories.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
message_trace data
pcomp replay data -o out | grep written
ls out out/lower
cat out/upper/replay | sed 's,/.*/,,'
pcomp info out | sed 's,/.*/,,'
pcomp info out/lower | sed -n '2s,/.*/,,p'
pcomp report out; echo $?
pcomp report out --view waiting; echo $?
pcomp replay out -o again; echo $?
pcomp diff out/lower out/upper >diff.text && head -n 1 diff.text | cut -d : -f 1
pcomp diff data out/model >diff.text && head -n 1 diff.text | cut -d : -f 1
# The bounds contain the value.
pcomp replay data -o out --format json |
    sed -n 's/.*"value": \([0-9.]*\), "lower": \([0-9.]*\), "upper": \([0-9.]*\), "unc.*/\1 \2 \3/p' |
    awk '{ print ($2 <= $1 && $1 <= $3) ? "contained" : "not contained: " $0 }'
# What is not known of messages is said.
pcomp replay data -o out | sed -n '3,4p'
printf 'pcomp-communication 1\nmpi test\nthreshold 0\neager start 25 per_byte 0 residual 0\n' >communication
printf 'rendezvous start 0 per_byte 0 residual 0\ncopy 100 time 5\n' >>communication
pcomp replay data -o out --communication communication | sed -n '3,4p'
# The ± is that of the bound of which least is known: the modelled receive comes late, whatever its rank recorded before.
make_trace late command=./talk <<"END"
location sender pid=2000 rank=0 world=2
1000 enter main
1010 send_post 100 peer=1 tag=5
1030 send_done 100 peer=1 tag=5
1040 exit main
location receiver pid=2001 rank=1 world=2
1000 enter main
repeat 10 20
1010 enter step
1020 exit step
end
1220 recv_post 100 peer=0 tag=5
1260 recv_done 100 peer=0 tag=5
1300 exit main
END
sed 's/start [0-9]*/start 1000/' communication >slow
pcomp replay late -o late-out --communication slow --comm model | sed -n '3p'
pcomp replay late -o late-out --communication slow | sed -n '3p'
rm -rf late-out late-out.old
# One bound alone is one data directory.
pcomp replay data -o out --comm lower | grep written
ls out out.old
