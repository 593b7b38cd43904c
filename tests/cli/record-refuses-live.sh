mkfifo started
pcomp record -- sample wait > started 2>/dev/null &
recorder=$!
exec 3< started
read line <&3
pcomp record -- sample 2>&1 | sed "s|$PWD|PWD|; s/process [0-9]*/process N/"
pcomp info | grep -o running
pcomp info 2>&1 | grep -o '^observed cost'
pcomp report -v 2>&1 | grep -o 'still running$'
kill -TERM $recorder
wait $recorder; echo $?
pcomp info | grep -o closed
