# What is no ordinary build, and no profile.
make_profile data <<"END"
main 1 1000
END
make_profile none options="--model none" <<"END"
main 1 1000
END
try() { pcomp advise "$@"; echo "status $?"; }
try data --plain /no/such/file
echo text >text
try data --plain text
printf 'int main(void) { return 0; }\n' >p.c
gcc p.c -o bare && gcc -g -finstrument-functions p.c -o measured && gcc -g -c p.c -o p.o
try data --plain bare
try data --plain p.o
try data --plain measured
try nothing
try data --format xml
try data --min-saving x
try data --model none
try data -o /no/such/folder/file
