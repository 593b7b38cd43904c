# what measuring cost: the parts add up, in all formats and by thread; a filtered function has its cost, too
short() { sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'; }
make_profile data own=3 descendant=8 startup=2000000 closing=1000000 command='./shop --fast' <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
    -logged 500000 0
  sum 10 12000000
thread worker
work 1 2000000
  step 300000 900000
END
pcomp report -v data --view cost
pcomp report -v data --view cost --limit 1 | sed -n '6,$p'
pcomp report data --view cost --sort name --format csv | cut -d, -f 1,5-8,10 | short
pcomp report data --view cost --thread 1001 --format json | grep -o '"schema.*"model\|"cost": {"total.*' | short
pcomp info data | grep cost
pcomp info data --format json | grep -o '"cost": {[^}]*}' | short
make_profile full own=10 descendant=25 startup=0 <<"END"
main 1 1000000
  f 1000 500000
END
pcomp report -v full --view cost
