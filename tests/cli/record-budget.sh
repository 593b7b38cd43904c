# Within the budget every call is counted. Beyond it hot functions are estimated, and rare ones still counted.
pcomp record --budget 50% -- sample >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep -o '"mode": "exact"'
pcomp report --format json 2>/dev/null | grep '{"name": "main"' | grep -o '"exact": true, "callees_exceed": false, "level": "sampled"'
pcomp report --format json 2>/dev/null | grep -o '"percent": 50'
pcomp record --budget 2% -- budget_load 2>/dev/null
pcomp report --format json 2>/dev/null | grep -o '"mode": "burst"'
pcomp report --format json 2>/dev/null | grep '{"name": "rare"' | grep -o '"N": 600, "calls_uncertainty": 0'
pcomp report --format json 2>/dev/null | grep '{"name": "rare"' | grep -o '"exact": true\|"level": "counted"'
pcomp report --format json 2>/dev/null | grep '{"name": "hot"' | grep -o '"exact": false\|"level": "off"'
pcomp report 2>/dev/null | grep -o '^budget 2 %: measuring cost'
pcomp record --mode exact -- budget_load >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep '{"name": "hot"' | grep -o '"N": 24000000'
# Room for the call paths that there are before it is used up.
pcomp record --budget-memory 1M -- sample >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep -c '"exact": true'
# Nothing runs.
for budget in 0 -5 101 5%% x "" 1e1 .; do pcomp record --budget="$budget" sample; echo $?; done
for size in 10 1 999K x 5X; do pcomp record --budget-memory="$size" sample; echo $?; done
pcomp record --budget 5 --mode burst sample; echo $?
pcomp record --trace --budget 5 sample; echo $?
