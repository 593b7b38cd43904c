# What a killed process had counted is in the report: of a function, or, of the last second, of none that is known.
pcomp record --trace --budget-trace 1M -- sh -c 'budget_load & sleep 0.6; kill -9 $!' 2>&1 | grep -o 'calls only counted'
held=$(pcomp info --format json | sed -n 's/.*"held_calls": \([0-9]*\).*/\1/p')
pcomp report --format json >report 2>/dev/null
told=$(grep '{"name": "' report | sed 's/.*"held": \([0-9]*\).*/\1/' | awk '{ sum += $1 } END { print sum + 0 }')
lost=$(sed -n 's/.*"total": {[^}]*"lost_events": \([0-9]*\).*/\1/p' report)
[ "$held" -gt 1000 ] && [ "$held" = $((told + lost)) ] && echo "all of them" || echo "$held: $told and $lost"
