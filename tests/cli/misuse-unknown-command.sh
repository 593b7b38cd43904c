pcomp reprot; echo $?
pcomp replay; echo $?
pcomp xyzzy; echo $?
