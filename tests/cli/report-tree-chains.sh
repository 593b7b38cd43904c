make_profile data <<END
main 1 10
  run 1 20
    loop 1 1000000
      work 10 50000000
        work 20 60000000
    a 1 10
      b 1 10
        c 1 10
          d 1 10
            e 1 10
              f 1 10
                g 1 10
                  h 1 9000000
    r 1 10
      r 2 10
        r 4 10
          r 8 7000000
END
pcomp report data --view tree
pcomp report data --view tree --expand --limit 0
