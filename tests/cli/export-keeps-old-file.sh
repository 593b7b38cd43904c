make_profile data spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 12000000
  sort 1 500000
    compare 300000 900000
END
echo precious > file
chmod 600 file
pcomp export nodata --format folded -o file; echo $?
cat file
pcomp export data --format folded -o missing/file; echo $?
pcomp export data --format folded -o .; echo $?
pcomp export data --format folded -o file; echo $?
stat -c %a file
ls
