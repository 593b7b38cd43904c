pcomp report --vew flat; echo $?
pcomp report --nothing-like-it; echo $?
pcomp report --view; echo $?
pcomp report --times round; echo $?
pcomp report --limit many; echo $?
pcomp report --limit=-1; echo $?
pcomp report --min-percent x; echo $?
pcomp report --salvage=yes; echo $?
pcomp report one two; echo $?
pcomp report --process 99999999999; echo $?
pcomp diff one; echo $?
pcomp record; echo $?
pcomp record --; echo $?
pcomp record -o '' -- true; echo $?
pcomp export --format callgrind; echo $?
pcomp export -o file; echo $?
pcomp export --times gprof -o file; echo $?
pcomp info --build data; echo $?
pcomp calibrate --runs 0; echo $?
