make_profile data spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 12000000
  sort 1 500000
    compare 300000 900000
END
make_profile slower spread=0.5 <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 20000000
  sort 1 500000
    compare 300000 900000
END
make_profile moved spread=0.5 <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 7000000
  sort 1 5500000
    compare 300000 900000
END
pcomp diff data slower --fail-above 10 >/dev/null; echo $?
pcomp diff data slower --fail-above 50 >/dev/null; echo $?
pcomp diff slower data --fail-above 10 >/dev/null; echo $?
pcomp diff data moved --fail-above 10 >/dev/null; echo $?
pcomp diff data data --fail-above 0 >/dev/null; echo $?
