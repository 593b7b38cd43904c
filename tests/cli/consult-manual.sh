# One hypothesis at one place; nothing is refined.
search() { # again for longer where the machine is too busy
    for ms in 700 3000 12000; do
        pcomp consult --format csv -o out.csv "$@" -- bottleneck cpu $ms >/dev/null
        grep -q ',true,\|,false,' out.csv && break
    done
    awk -F, 'NR > 1 { print $3, $4, $5 ": " $6 }' out.csv
}
for focus in hot_function compute/hot_function "thread 0" nobody; do
    search --hypothesis cpu --focus "$focus"
done
search --hypothesis lock
