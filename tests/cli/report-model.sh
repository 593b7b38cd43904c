make_profile data spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 12000000
  sort 1 500000
    compare 300000 900000
END
pcomp report -v data --model none --limit 2
pcomp report -v data --model paper --limit 2
