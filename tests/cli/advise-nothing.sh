# Regions are no functions that a compiler could leave out.
make_profile data spread=0.5 <<"END"
main 1 1000000
  parse 100000 4000000
END
pcomp advise data
echo "gcc:"
pcomp advise data --format gcc
pcomp advise data --format clang
pcomp advise data --format csv
pcomp advise data --format json | sed 's/.*"command"/"command"/'
