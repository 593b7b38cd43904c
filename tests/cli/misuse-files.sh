# Files that are no data directories, directories that are no programs.
echo 'int main(void) { return 0; }' >e.c
mkdir place
pcomp report e.c; echo $?
pcomp info e.c; echo $?
pcomp predict e.c; echo $?
pcomp predict ./e.c; echo $?
pcomp report "$(command -v sample)" 2>&1 | sed 's@/.*/@@'
pcomp record -- ./place; echo $?
pcomp consult -- ./place; echo $?
pcomp record -- e.c; echo $?
pcomp -V | cut -d' ' -f1; pcomp report --version | cut -d' ' -f1; pcomp record -V | cut -d' ' -f1
