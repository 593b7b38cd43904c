# A function that is called for the first time when others are too hot to be counted is in the report, with its caller, and each of its calls.
pcomp record --budget 2% -- late_load >/dev/null 2>&1
pcomp report --format json 2>/dev/null | grep -o '{"name": "late_.*"calls_uncertainty": [0-9.]*' |
    sed 's/{"name": "\(late_.\)".*"N": \([0-9]*\).*"calls_uncertainty": \(.*\)/\1 \2 ± \3/' | sort
pcomp report --format json 2>/dev/null | grep '{"name": "phase"' | grep -o '"N": 8\|"calls_uncertainty": 0'
