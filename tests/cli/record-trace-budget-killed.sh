# What a killed process had counted is in the report: of a function, or, of the last second, of none that is known.
pcomp record --trace --budget-trace 1M -- sh -c 'budget_load & sleep 0.6; kill -9 $!' 2>&1 | grep -o 'calls only counted'
held=$(pcomp info --format json | sed -n 's/.*"held_calls": \([0-9]*\).*/\1/p')
pcomp report --format json >report 2>/dev/null
told=$(grep '{"name": "' report | sed 's/.*"held": \([0-9]*\).*/\1/' | awk '{ sum += $1 } END { print sum + 0 }')
lost=$(sed -n 's/.*"total": {[^}]*"lost_events": \([0-9]*\).*/\1/p' report)
[ "$held" -gt 1000 ] && [ "$held" = $((told + lost)) ] && echo "all of them" || echo "$held: $told and $lost"

# And no call is missing, but those since the last look at them: 20 times 40,000 are made.
pcomp record -o known --trace --budget-trace 1M -- budget_load 20 >/dev/null 2>&1
pcomp report known --format json >report 2>/dev/null
calls=$(sed -n 's/.*{"name": "hot".*"N": \([0-9]*\).*/\1/p' report)
lost=$(sed -n 's/.*"total": {[^}]*"lost_events": \([0-9]*\).*/\1/p' report)
[ $((calls + lost)) -gt $((800000 - 770)) ] && [ $((calls + lost)) -le 800000 ] && echo "each call in one of them" || echo "$calls and $lost"
