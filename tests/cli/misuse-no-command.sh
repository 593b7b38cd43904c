pcomp
