# Sets of runs: what grew by more than runs differ anyway, in each format; how runs are named; a limit that fails.
profile() { # DIR PARSE SUM [COMMAND [KEY=VALUE]]
    make_profile "$1" spread=0.5 command="${4:-./shop --fast}" "${5:-begun=0}" <<END2
main 1 1000000
  parse 1000 $2
    next|\`x 2000 6000000
  sum 10 $3
  small 1 900
END2
}
profile a1 4000000 12000000
profile a2 4020000 12100000
profile a3 3990000 11900000
profile b1 4400000 12050000
profile b2 4410000 11950000
profile b3 4390000 12000000
mkdir before
printf 'pcomp-run 1\nid 0123456789abcdef0123456789abcdef\nruns 4\nmiddle 2\n' >before/run
for i in 1 2 3; do # the fourth left no profile
    mv a$i before/$i
    printf 'pcomp-run 1\nid 0123456789abcdef0123456789abcde%s\n' $i >before/$i/run
done
pcomp diff --before before --after b1 b2 b3
pcomp diff before b1 --limit 1 | tail -n 4
pcomp diff --before before/1 before/2 --before before/3 --after b1 b2 b3 --fail-above 1 --format json |
    sed 's/\(\.[0-9]\{5\}\)[0-9]*/\1/g'
pcomp diff --before before --after b1 b2 b3 --fail-above 50 --format csv | cut -c 1-60
pcomp diff --before before --after b1 b2 b3 --format markdown
pcomp diff --before before --after b1 b2 b3 --format github --fail-above 1 | grep -v '^|\|^$'
profile c1 4400000 12050000 "/opt/other --fast"
pcomp diff b1 c1 --format markdown
pcomp diff --before before --after c1 | grep different
pcomp report before | grep 'main thread\|takes\|before'
pcomp info before | head -n 1
for i in 1 2 3 4 5 6; do # in turns: t1 t3 t5, and t2 t4 t6
    profile t$i $((4000000 + i % 2 * 12000 + i * 1000)) 12000000 "./shop --fast" begun=$i
done
pcomp diff --before t1 t3 t5 --after t2 t4 t6
pcomp diff --before t1 t2 t3 --after t4 t5 t6 | grep 'turns\|parse'
pcomp diff --before t1 t3 t5 --after t2 t4 t6 --format json | grep -o '"in_turns": [a-z]*'
pcomp diff before
pcomp diff --before before
pcomp diff --before before --after b1 c1 -- b2
pcomp diff --before nothing --after b1
