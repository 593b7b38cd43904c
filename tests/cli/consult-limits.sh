# Three at a time, or hooks off but in bursts: the same answer. What had no turn is told.
search() { # again for longer where the machine is too busy
    for ms in 1500 5000 15000; do
        pcomp consult "$@" --format csv -o out.csv -- bottleneck cpu $ms >/dev/null
        grep -q 'path,main > compute > hot_function,true' out.csv && break
    done
    awk -F, '$6 == "true" && $4 == "path" { print $5 }' out.csv
}
search --at-most 3
search --budget 10 | grep hot # what is found in so few bursts may include more
pcomp consult --at-most 1 --format csv -o few.csv -- bottleneck cpu 50 2>/dev/null
grep -c 'before its turn (--at-most)' few.csv | sed 's/^[1-9].*/some had no turn/'
pcomp consult --format json -o out.json -- bottleneck cpu 300
grep -o '"schema": "pcomp-consult/1"\|"observed": {"mean"\|"refined": \[' out.json | sort -u
