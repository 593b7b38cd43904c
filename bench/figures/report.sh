# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# How long `pcomp report` takes on a large profile.

figure "pcomp report of 1 million call paths (10 thousand functions with DWARF)"
# Ten files of 1000 functions; each walk of depth 3 and width 100 takes a way that no other takes: 1,010,100 paths.
for file in 0 1 2 3 4 5 6 7 8 9; do
    awk -v file=$file 'BEGIN {
        print "void walk(unsigned depth, unsigned place);\n"
        for (i = 0; i < 1000; i++) {
            n = file * 1000 + i
            printf "/* Function %d of the generated program. */\nvoid generated_%d(unsigned depth, unsigned place)\n", n, n
            printf "{\n    unsigned next = place * 31u + %du;\n    if (depth)\n        walk(depth, next);\n}\n\n", n
        }
    }' >part$file.c
done
{
    awk 'BEGIN { for (n = 0; n < 10000; n++) printf "void generated_%d(unsigned depth, unsigned place);\n", n
        print "static void (*const table[10000])(unsigned, unsigned) = {"
        for (n = 0; n < 10000; n++) printf "    generated_%d,\n", n
        print "};" }'
    cat <<'C'
void walk(unsigned depth, unsigned place);
__attribute__((no_instrument_function)) void walk(unsigned depth, unsigned place)
{
    for (unsigned i = 0; i < 100; i++)
        table[(place + i * 97u) % 10000u](depth - 1, place + i);
}
int main(void)
{
    walk(3, 0);
    return 0;
}
C
} >program.c
printf '%s\n' part*.c program.c | xargs -P "$(nproc)" -n 4 cc -g -O1 -finstrument-functions -c
cc -g ./*.o -o program -L"$(dirname "$lib")" -lpcomp -Wl,-rpath,"$(dirname "$lib")"
PCOMP_OPTIONS="--mode full" ./program
"$pcomp" report "$PCOMP_DATA" --view flat --format json >first.json
functions=$("$programs/bench_report_value" calls first.json | grep -c generated_ || true)
calls=$("$programs/bench_report_value" get first.json total.calls | cut -d. -f1)
fact "profile" "$(calc "$(bytes_in "$PCOMP_DATA") / 1048576" 1)" MiB
whole=no
[ "$functions" = 10000 ] && [ "$calls" = 1010101 ] && whole=yes
holds "functions; calls, each along a path of its own" "$functions" "$calls (1010101)" $whole
for _ in $(seq "$repeat"); do
    for view in flat tree callers; do
        "$programs/bench_timed_run" times $view "$pcomp" report "$PCOMP_DATA" --view $view >$view.txt
    done
    "$programs/bench_timed_run" times json "$pcomp" report "$PCOMP_DATA" --view flat --format json >json.txt
done
at_most "report, default view (best wall of $repeat)" "$(samples times flat 4 | best)" s 1
fact "report, default view, median wall; CPU" "$(samples times flat 4 | median)" \
    "s; $(awk '$1 == "flat" { print $2 + $3 }' times | median) s"
for view in tree callers json; do
    fact "report, $view, best" "$(samples times $view 4 | best)" "s (median $(samples times $view 4 | median))"
done
named=$(grep -o '"file": *"[^"]*part[0-9]\.c"' first.json | wc -l)
holds "functions named with file and line" "$named" 10000 "$([ "$named" = 10000 ] && echo yes || echo no)"
