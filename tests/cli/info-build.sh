pcomp info --build | sed 's/  .*//'
pcomp info --build --format json | tr ',' '\n' | sed 's/:.*//'
