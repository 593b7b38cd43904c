make_profile data <<END
main 1 1000
  f 1 1000
    g 1 1000
      f 2 1000
        g 2 1000
          f 4 5000000
END
pcomp report data --view flat --format csv | cut -d, -f1,7,9,15,16
pcomp report data --view callers
