# A run in which nothing is measured is a failure where that is asked for.
pcomp record --require -- sample_plain 2>/dev/null; echo $?
pcomp record --require -- sh -c 'exit 3' 2>/dev/null; echo $?
pcomp record --require -q -- sample; echo $?
