pcomp verify -n 4 --fit fit --plain spin_plain --instrumented spin --format csv 2>/dev/null | cut -d, -f1,2 | tail -n 3
sed -E 's/[-+]?[0-9]+(\.[0-9]+)/N/g; s/own .*/.../; s/^clock .*/clock .../' fit
pcomp verify -n 3 --fit fit --plain spin_plain --instrumented spin --format json |
    tr ',{}' '\n\n\n' | sed -nE 's/^ *"(fit|file|call_ns|held_out_[a-z_]*)": ?([a-z"]*).*/\1 \2/p'
pcomp record --calibration fit -- spin 2>&1 | grep -c 'not measuring'
pcomp report -v | sed -nE 's/^fitted to: [0-9]+ runs of/a fitted profile says so:/p'
pcomp verify -n 1 --fit fit --plain spin_plain --instrumented spin; echo $?
pcomp verify --fit - --plain spin_plain --instrumented spin; echo $?
pcomp verify --fit no/such --plain spin_plain --instrumented spin; echo $?
ls
