# Calls of light are counted from some time on: their time is their caller's, and what if they were faster is not known.
pcomp record -q --trace -o counted -- spin 10 >spun
pcomp replay counted -o refused --what-if light=2x; echo $?
ls -d refused* 2>/dev/null
pcomp replay counted --what-if all >ranking
grep -c '^note: calls of .*light.* were counted and not recorded' ranking
echo "rows of it: $(grep -c ' light$' ranking)"
