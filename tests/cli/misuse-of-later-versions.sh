pcomp record --mode sampled ./program; echo $?
