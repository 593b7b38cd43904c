make_profile data <<END
main 1 1000000
  wait 1 9000000
thread worker
work 4 8000000
thread worker
work 2 3000000
END
pcomp report data
pcomp report data --thread 1001
