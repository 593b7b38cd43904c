pcomp reprot; echo $?
pcomp verify; echo $?
pcomp xyzzy; echo $?
