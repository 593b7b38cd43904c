# by the functions of a program, which is not run; and by a run, whose output and end stay its own
sample=$(command -v sample)
pcomp predict -- sample --touch | sed -n '2p'
pcomp predict --format csv -- "$sample" | cut -d, -f 1,4-6 | sort
pcomp predict --skip 'file:sample.c' --format json -- sample | grep -o '"filtered": true' | wc -l
ls
pcomp predict --from start --data run --budget 0 -o out.json --format json -- spin 5 >stdout 2>stderr
echo $?
cat stdout
sed 's/ [0-9][^ ]* \(ms\|s\|µs\|%\)/ N/g' stderr
grep -o '"kind": "[a-z]*"' out.json
pcomp report run --view cost --format csv 2>/dev/null | cut -d, -f 1 | sort
pcomp predict --from start --data short -- sample 2>&1 | sed 's/; observed.*//'
