make_profile data <<END
main 1 1000
  f 1 1000
    g 1 1000
      f 2 1000
        g 2 1000
          f 4 5000000
END
pcomp report data --view flat --format csv | columns name compensated_exclusive_ns compensated_inclusive_ns N outermost
pcomp report data --view callers
