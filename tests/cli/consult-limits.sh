# Three at a time: the same answer; within a budget, that of the function around those that are only counted. What had no
# turn is told.
search() { # PATH OPTION...: again for longer where the machine is too busy
    place=$1
    shift
    for ms in 1500 5000 15000; do
        pcomp consult "$@" --format csv -o out.csv -- bottleneck cpu $ms >/dev/null 2>&1
        grep -q "path,$place,true" out.csv && break
    done
    awk -F, '$6 == "true" && $4 == "path" { print $5 }' out.csv
}
search "main > compute > hot_function" --at-most 3
search "main > compute" --budget 10 | grep compute$
pcomp consult --at-most 1 --format csv -o few.csv -- bottleneck cpu 50 2>/dev/null
grep -c 'before its turn (--at-most)' few.csv | sed 's/^[1-9].*/some had no turn/'
pcomp consult --format json -o out.json -- bottleneck cpu 300
grep -o '"schema": "pcomp-consult/1"\|"observed": {"mean"\|"refined": \[' out.json | sort -u
