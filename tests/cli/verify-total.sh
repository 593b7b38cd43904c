# Numbers differ from run to run; what does not: which quantities there are, the calls, the shape.
numbers() { sed -E 's/[-+]?[0-9][0-9.]*(e-?[0-9]+)?/N/g'; }
pcomp verify -n 6 --plain sample_plain --instrumented sample |
    sed -E 's/  +[-+]?[0-9].*  +([T(h])/ ... \1/; s/plain time in .*/plain time in .../' | tr -s ' '
pcomp verify -n 2 --plain sample_plain --instrumented sample --format csv 2>/dev/null | numbers
pcomp verify -n 2 --plain sample_plain --instrumented sample --format json --model none | tr ',' '\n' | numbers
# wrappers are not what is timed: the pause is not in it
pcomp verify -n 1 --plain 'sleep 0.3; sample_plain; true' --instrumented 'sleep 0.3; sample; true' --format csv 2>/dev/null |
    awk -F, '$1 == "plain" { print $3 < 3e8 ? "without the pause" : "with the pause" }'
# ways out of main
pcomp verify -n 1 --plain 'sample_plain exit 0' --instrumented 'sample exit 0' --format csv 2>/dev/null | wc -l
ls
