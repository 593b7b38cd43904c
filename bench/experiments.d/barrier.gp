set xlabel "overhead of an event, alpha (ns)"
set ylabel "longer than without instrumentation (%)"
set yrange [0:*]
set title "Barriers: measured against actual time"
set output "barrier-measured.svg"
plot for [i=0:3] "barrier.dat" index i using 2:3 with linespoints ls i+1 title word("2 4 8 16", i+1)." threads"
set title "Barriers: approximated against actual time"
set output "barrier-approximated.svg"
set yrange [*:*]
plot 0 lc rgb "#404040" notitle, \
     for [i=0:3] "barrier.dat" index i using 2:4 with linespoints ls i+1 title word("2 4 8 16", i+1)." threads"
