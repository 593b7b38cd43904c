why=$(pcomp record --counters perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES -- sample 2>&1)
echo $?
case $why in *"no such counter on this machine"*) skip "${why%% (*}" ;; esac
pcomp report --format csv 2>/dev/null | sed 1q | tr ',' '\n' | grep metrics
pcomp report --format json 2>/dev/null | grep -c '"perf::PAGE-FAULTS": {"raw": {"inclusive": '
