# What all plots have in common: light, readable, and colours that most eyes tell apart (Okabe and Ito).
set terminal svg size 760,420 dynamic background "#ffffff" font "DejaVu Sans,12"
set border 3 lc rgb "#404040"
set tics nomirror
set grid lc rgb "#d8d8d8" lw 1
set key outside right top Left reverse samplen 2
set style line 1 lc rgb "#0072b2" lw 2 pt 7 ps 0.7
set style line 2 lc rgb "#e69f00" lw 2 pt 5 ps 0.7
set style line 3 lc rgb "#009e73" lw 2 pt 9 ps 0.8
set style line 4 lc rgb "#d55e00" lw 2 pt 11 ps 0.8
set style line 5 lc rgb "#cc79a7" lw 2 pt 13 ps 0.8
set style fill solid 1.0
