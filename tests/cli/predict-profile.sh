# from an earlier profile of the same mode what was observed is predicted; the budget says whether it fits
short() { sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'; }
make_profile data own=3 descendant=8 startup=2000000 closing=1000000 command='./shop --fast' <<"END"
main 1 1000000
  parse 1000 40000000
    next 2000000 6000000
    -logged 500000 0
  sum 10 12000000
END
pcomp report data --view cost --format json | grep -o '"cost": {"total": [0-9]*'
pcomp predict data --mode full
pcomp predict data --mode full --budget 40 --limit 1 && echo fits
pcomp predict data --mode full --budget 20 --limit 2 || echo $?
pcomp predict data --mode full --budget 1 --format json --limit 1 | grep -o '"budget.*' | short
pcomp predict data --mode full --skip 'ne*' --skip parse --format csv | cut -d, -f 1,4-7 | short
pcomp predict data --mode full --only sum --format json | grep -o '"cost": {[^}]*' | short
# other modes are calibrated here and now
for mode in auto trace; do
    pcomp predict data --mode $mode --format json | grep -o '"schema.*"from": "[a-z]*"'
done
pcomp predict data --budget 5 --format json | grep -o '"limit_percent": [0-9.]*'
# a trace records the first calls of a function, and keeps its limit
pcomp predict data --mode trace --format json | grep -o '"limit_percent": [0-9.]*'
bytes=$(pcomp predict data --mode trace --format json | sed -n 's/.*"trace": {"bytes": \([0-9]*\).*/\1/p')
[ "$bytes" -gt 100000 ] && [ "$bytes" -lt 130000 ] && echo bytes of recorded calls
