pcomp reprot; echo $?
pcomp xyzzy; echo $?
