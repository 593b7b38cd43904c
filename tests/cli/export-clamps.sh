make_profile data <<END
main 1 1000000
  over 1000 -3000
END
for format in callgrind folded speedscope; do
    pcomp export data --format $format -o -
done
