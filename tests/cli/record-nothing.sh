pcomp record -- true; echo $?
pcomp record -- sh -c 'exit 3'; echo $?
pcomp record -- sample 2>/dev/null
pcomp record -- true; echo $?
ls
