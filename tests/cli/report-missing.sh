pcomp report; echo $?
mkdir empty; pcomp report empty; echo $?
echo hello > file; pcomp report file; echo $?
mkdir data; echo hello > data/5-0.pcomp; printf 'pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n' > data/run
pcomp report data; echo $?
