# Programs that end badly, or have no hooks.
pcomp consult -o out.txt -- sample_plain >/dev/null; echo "status $?"; ls
pcomp consult -- ./none; echo "status $?"
pcomp consult --budget 100 --data kept --format csv -o out.csv -- sh -c 'bottleneck cpu 600; exit 7'; echo "status $?"
head -n 1 out.csv; ls kept | sed 's/[0-9][0-9]*/N/'
