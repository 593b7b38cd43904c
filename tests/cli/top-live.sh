# Snapshots of running programs: by directory, by process, by who started it; until it ends or is killed.
mkfifo started
pcomp record -q -- sample wait >started 2>/dev/null &
recorder=$!
exec 3<started
read line <&3
state() { grep -o '"state":"[a-z]*"' | sort | uniq -c | sed 's/^ *//'; }
once="-n 2 --interval 0.05 --format json"
pcomp top $once | state
pcomp top $recorder $once | state
child=$(ls pcomp.data | sed -n 's/-0.pcomp//p')
pcomp top "$child" $once | state
pcomp top --interval 0.05 --format json >until.end 2>until.err &
top=$!
sleep 0.3
kill -TERM $recorder
wait $recorder; echo $?
wait $top; echo $?
state <until.end | sed 's/^[0-9]*/N/'
cat until.err

# reading changes neither the output nor the counts
pcomp record -q --counts exact -o spun -- spin 10 >out 2>record.err &
recorder=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
    pcomp top $recorder -n 3 --interval 0.05 >/dev/null 2>&1
done
wait $recorder; echo $?
cat out
pcomp report spun --format csv 2>/dev/null | grep -E '^light,' | grep -o ',200000,' | head -n 1

# killed
mkfifo started2 started3
pcomp record -q -o killed -- sample wait >started2 2>/dev/null &
exec 3<started2
read line <&3
pcomp top killed --interval 0.05 --format json >until.end &
top=$!
sleep 0.3
kill -KILL $(ls killed | sed -n 's/-0.pcomp//p')
wait $top; echo $?
tail -n 1 until.end | state

# a trace
pcomp record -q --trace -o traced -- sample wait >started3 2>/dev/null &
recorder=$!
exec 3<started3
read line <&3
pcomp top traced; echo $?
kill -TERM $recorder
wait $recorder
