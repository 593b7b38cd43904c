pcomp verify --plain sample_plain; echo $?
pcomp verify --instrumented sample; echo $?
pcomp verify -n 0 --plain sample_plain --instrumented sample; echo $?
pcomp verify --plain sample_plain --instrumented sample --calibration none; echo $?
pcomp verify --plain 'sample_plain exit 3' --instrumented sample; echo $?
pcomp verify --plain sample_plain --instrumented 'echo one >&2; echo two >&2; exit 4'; echo $?
pcomp verify --plain 'sample_plain signal 9; exit $?' --instrumented sample; echo $?
pcomp verify --plain sample_plain --instrumented sample_plain; echo $?
pcomp verify --plain true --instrumented 'true; sample' 2>&1 | sed 's/(.*//'
pcomp verify -n 1 --plain sample_plain --instrumented sample --fail-above 1e9 >/dev/null; echo $?
pcomp verify -n 1 --plain sample_plain --instrumented 'sample' --model none --fail-above 0 2>&1 >/dev/null | sed 's/is .* (/is X (/'
ls
