pcomp record --calibration nosuch -- sample; echo $?
echo hello > file; pcomp record --calibration file -- sample; echo $?
pcomp record --clock sundial -- sample; echo $?
ls
