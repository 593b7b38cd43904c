pcomp calibrate --runs 2 -o file > text || echo $?
sed 's/[0-9][0-9.e+-]*/N/g' file
grep -c descendant text
pcomp calibrate --runs 1 -o - | head -1
pcomp record --calibration file --mode full -- sample 2>/dev/null; echo $?
pcomp report -v 2>/dev/null | grep -o 'from the calibration file.*'
