pcomp record -- sample 2>/dev/null
cp pcomp.data/run first
pcomp record -- sample 2>/dev/null
cmp first pcomp.data.old/run && echo moved
cp pcomp.data/run second
pcomp record -- sample 2>/dev/null
cmp second pcomp.data.old/run && echo moved again
mkdir mine; echo hello > mine/file
pcomp record -o mine -- sample; echo $?
cat mine/file
echo hello > pcomp.data.old/file
pcomp record -- sample 2>&1 | sed "s|$PWD|PWD|"
cat pcomp.data.old/file
mkdir empty
pcomp record -o empty/ -- sample 2>/dev/null; ls empty | sed 's/[0-9]*-/N-/'
pcomp record -o no/where -- sample; echo $?
