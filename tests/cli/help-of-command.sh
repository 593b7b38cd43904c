pcomp help diff
