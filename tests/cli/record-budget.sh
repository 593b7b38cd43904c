# What is too hot for the limit is counted in windows; what is rare is timed and counted exactly under any limit.
pcomp record --budget 50% -- sample >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep -o '"mode": "auto"\|"limit_percent": 50'
pcomp report --format json 2>/dev/null | grep '{"name": "main"' | grep -o '"exact": true\|"level": "timed"'
pcomp record --budget 2% -- budget_load 2>/dev/null
pcomp report --format json 2>/dev/null | grep '{"name": "rare"' | grep -o '"N": 600\|"calls_uncertainty": 0\|"exact": true\|"level": "timed"'
pcomp report --format json 2>/dev/null | grep '{"name": "hot"' | grep -o '"exact": false\|"level": "sampled"'
pcomp report -v 2>/dev/null | grep -o 'too hot for the limit of 2 %'
pcomp record --counts exact -- budget_load >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep '{"name": "hot"' | grep -o '"N": 24000000\|"exact": true\|"level": "counted"'
# Room for the call paths that there are before it is used up.
pcomp record --budget-memory 1M -- sample >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep -c '"exact": true'
# Nothing runs.
for mode in exact burst sampled; do pcomp record --mode $mode sample; echo $?; done
for budget in 0 -5 101 5%% x "" 1e1 .; do pcomp record --budget="$budget" sample; echo $?; done
for size in 10 1 999K x 5X; do pcomp record --budget-memory="$size" sample; echo $?; done
pcomp record --budget 5 --mode full sample; echo $?
pcomp record --trace --trace-all --budget 5 sample; echo $?
pcomp record --trace --budget-trace 1M --counts exact sample; echo $?
