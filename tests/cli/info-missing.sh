pcomp info; echo $?
touch empty; pcomp info empty; echo $?
