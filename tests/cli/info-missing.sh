pcomp info; echo $?
