set title "Loops with advance and await, 2 threads"
set ylabel "time / time without instrumentation"
set style data histograms
set style histogram clustered gap 1.5
set boxwidth 0.9
set yrange [0:*]
set output "pipeline.svg"
plot 1 lc rgb "#404040" title "actual", \
     "pipeline.dat" using 2:xtic("kernel ".strcol(1)) ls 2 title "measured", \
     "" using 3 ls 4 title "time-based", "" using 4 ls 1 title "event-based"
