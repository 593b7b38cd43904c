pcomp report --view waiting; echo $?
pcomp report --view cost; echo $?
pcomp record --trace ./program; echo $?
pcomp record --trace-limit 1M ./program; echo $?
pcomp record --budget 5 ./program; echo $?
pcomp record --mode sampled ./program; echo $?
pcomp calibrate --mpi; echo $?
