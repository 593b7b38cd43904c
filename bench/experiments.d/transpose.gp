set xlabel "ranks"
set ylabel "against the time without instrumentation (%)"
set xtics (2, 4, 8)
set xrange [1.5:8.5]
do for [i=0:1] {
    set title i == 0 ? "Transpose: events in a rank decrease" : "Transpose: as many events in each rank"
    set output i == 0 ? "transpose-fewer.svg" : "transpose-same.svg"
    plot 0 lc rgb "#404040" notitle, \
         "transpose.dat" index i using 2:3 with linespoints ls 2 title "measured", \
         "" index i using 2:4 with linespoints ls 3 title "optimistic", \
         "" index i using 2:5 with linespoints ls 1 title "modelled", \
         "" index i using 2:6 with linespoints ls 4 title "pessimistic"
}
set title "Transpose with blind reads"
set output "transpose-blind.svg"
plot 0 lc rgb "#404040" notitle, \
     "blind.dat" using 1:2 with linespoints ls 2 title "measured", \
     "" using 1:3 with linespoints ls 3 title "preserve", \
     "" using 1:4 with linespoints ls 1 title "FIFO", \
     "" using 1:5 with linespoints ls 5 title "LIFO"
