# Ended by a signal, a replay leaves either all or nothing.
make_trace data <<"END"
location main
1000 enter main
repeat 2000000 20
1010 enter f
1020 exit f
end
50000000 exit main
END
for delay in 0.01 0.02 0.03 0.05; do
    pcomp replay data -o out >/dev/null 2>err &
    sleep "$delay"
    kill -INT $! 2>/dev/null
    kill -TERM $! 2>/dev/null
    { wait $!; } 2>/dev/null
    case $? in
    0) [ -e out/1000-0.pcomp ] && [ ! -s err ] || echo "done, but not there" ;;
    1) [ ! -e out ] && grep -q interrupted err || echo "not done, but there" ;;
    143) [ ! -e out ] || [ -e out/1000-0.pcomp ] || echo "killed, and there in part" ;; # before it had begun, or at its end
    *) echo "status $?" ;;
    esac
    rm -rf out
    ls -d out* 2>/dev/null
done
