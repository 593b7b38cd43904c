make_profile data spread=0.5 command="./shop" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
END
pcomp annotate data
pcomp annotate data parse --format json
LC_ALL=C pcomp annotate data parse
pcomp annotate data nosuch
