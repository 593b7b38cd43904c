# Several runs of a program: a set, whose run in the middle is read; statuses, standard input, what was there before.
# Of a program that takes far longer than measuring it, as the times are compared.
numbers() { sed 's/[0-9][0-9.]* [mµ]s/TIME/g; s/[0-9.]* %/SHARE/; s/is run [0-9]/is run K/'; }
pcomp record --repeat 3 -o set -- spin 2>&1 | numbers
ls set
sed 's/^id .*/id ID/; s/middle [1-3]/middle K/' set/run
pcomp report set --format csv 2>/dev/null | wc -l
pcomp report set 2>&1 | grep 'note: set' | numbers
pcomp diff set/1 set/2 >/dev/null && pcomp diff set set --fail-above 0 >/dev/null && echo compared
pcomp record -q --repeat 2 -o set -- sample && ls set set.old
pcomp record -q --repeat 2 -o set -- sample && ls -d set* && ls set.old
# the first status that is not 0; what a signal ended is not repeated
cat >fails.sh <<'END2'
n=$(cat count); echo $((n + 1)) >count
sample >/dev/null
cat
[ $n = 1 ] && exit 7
[ $n = 2 ] && exit 8
exit 0
END2
echo 0 >count
echo input >input
pcomp record -q --repeat 4 -o statuses -- sh fails.sh <input
echo "status $?, $(cat count) runs"
pcomp record -q --repeat 3 -o killed -- sh -c 'sample; kill -9 $$'
echo "status $?"; ls killed
echo text | pcomp record -q --repeat 2 -o piped -- sh -c 'sample; cat'
pcomp record --repeat 3 -o none -- true; echo "status $?"; ls -d none 2>/dev/null
pcomp record --repeat 3 --require -o none -- true; echo "status $?"
pcomp record --repeat 3 -o none -- ./nothing; echo "status $?"
pcomp record --repeat 0 -- sample; echo "status $?"
pcomp record --repeat 99999 -- sample; echo "status $?"
pcomp record --repeat x -- sample; echo "status $?"
