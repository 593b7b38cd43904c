mkfifo started
pcomp record -- sample wait > started 2>/dev/null &
recorder=$!
exec 3< started
read line <&3; echo $line
kill -TERM $recorder
read line <&3; echo $line
wait $recorder; echo $?
pcomp report --format csv 2>/dev/null | columns name N | sort
