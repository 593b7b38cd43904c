# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
# A loop of six units, alpha 10 ns. The first unit of main records 20 events more than others: unmeasured it takes 100 ns
# as they do, and main gets as many as the worker.
loop_trace() {
    {
        cat <<"END"
location main pid=1000
1000 enter main
1010 create 7
1020 enter work
1030 enter unit
END
        printf 'repeat 10 20\n1040 enter step\n1050 exit step\nend\n'
        cat <<"END"
1340 exit unit
1350 enter unit
1460 exit unit
1470 exit work
1480 join_begin 7
1540 join_end 7
1550 exit main
location worker pid=1000
1020 start 7
1030 enter work
1040 enter unit
1150 exit unit
1160 enter unit
1270 exit unit
1280 enter unit
1390 exit unit
1400 enter unit
1510 exit unit
1520 exit work
1530 finish 7
END
    } | make_trace "$1" command=./loop alpha=10
}
loop_trace data
pcomp replay data -o conservative --format csv
pcomp replay data -o liberal --liberal unit=dynamic | sed 's/; bookkeeping.*//'
pcomp report -v liberal | sed -n 5,20p
pcomp info liberal | sed '1d; s,/.*/,,' | head -n 1
pcomp timeline liberal -o liberal.svg; grep -o 'approximated, event-based[^<]*' liberal.svg | head -n 1
pcomp report liberal --view waiting | sed -n '1,2s,/.*/,,p'
pcomp replay data -o blocks --liberal unit=static --format json | grep -oE '"liberal": "[^"]*", "moved_units": [0-9]+'
ls

# What cannot be re-mapped is refused, with the place.
pcomp replay data -o no --liberal nothing=dynamic; echo $?
pcomp replay data -o no --liberal main=dynamic; echo $?
pcomp replay data -o no --liberal work=dynamic:0; echo $?
pcomp replay data -o no --liberal work; echo $?
pcomp replay data -o no --liberal unit=guided --model time; echo $?
pcomp replay data -o no --liberal unit=guided --salvage; echo $?
make_trace locked alpha=10 <<"END"
location main pid=1000
1000 enter main
1010 enter unit
1020 exit unit
1030 lock_request 64
1040 lock_acquired 64
1050 enter unit
1060 exit unit
1070 exit main
END
pcomp replay locked -o no --liberal unit=dynamic; echo $?
make_trace open alpha=10 <<"END"
location main pid=1000
1000 enter main
1010 enter unit
1020 exit unit
1070 exit main
END
pcomp replay open -o no --liberal unit=dynamic; echo $?
ls
# What lies between the two passes is no trace to begin with.
make_trace between flags=16 <<"END"
location main pid=1000
1000 enter main
1070 exit main
END
pcomp replay between -o no; echo $?
