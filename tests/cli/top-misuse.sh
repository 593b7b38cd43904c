pcomp top nosuch; echo $?
pcomp top 999999999; echo $?
pcomp top $$ 2>&1 | sed "s/process $$/process N/"
mkdir empty; pcomp top empty; echo $?
echo text >text; pcomp top text; echo $?
pcomp top --interval 0; echo $?
pcomp top one two; echo $?
make_profile data <<"END"
main 1 1000
END
pcomp tui data; echo $?
pcomp tui nosuch; echo $?
