set xlabel "ranks"
set ylabel "time (ms)"
set xtics 1
set yrange [0:*]
do for [i=0:1] {
    set title i == 0 ? "Monte-Carlo pi, packets of 1.6 kB" : "Monte-Carlo pi, packets of 320 kB"
    set output i == 0 ? "pi-small.svg" : "pi-large.svg"
    plot "pi.dat" index i using 2:($3/1e6) with linespoints ls 1 title "uninstrumented", \
         "" index i using 2:($4/1e6) with linespoints ls 2 title "measured", \
         "" index i using 2:($5/1e6) with linespoints ls 3 title "lower bound", \
         "" index i using 2:($6/1e6) with linespoints ls 4 title "upper bound"
}
