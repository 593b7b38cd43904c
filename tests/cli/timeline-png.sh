# The image has the size that the SVG has.
make_trace data <<"END"
location main
0 enter main
1000 exit main
END
pcomp timeline data -o picture.svg --width 640 2>/dev/null
pcomp timeline data -o picture.png --width 640 2>/dev/null || exit
width=$(od -An -tu1 -j16 -N8 picture.png | awk '{ print $3 * 256 + $4 " x " $7 * 256 + $8 }')
head -n 1 picture.svg | grep -o 'width="[0-9]*" height="[0-9]*"'
echo "$width"
head -c 8 picture.png | od -An -c

# A command that draws nothing loads nothing that draws.
ldd "$(command -v pcomp)" | grep -c libcairo
true

# What draws cannot be loaded: said, and nothing is left.
mkdir -p alone/bin alone/libexec/pcomp
cp "$(command -v pcomp)" alone/bin
echo "no library" >alone/libexec/pcomp/libpcomp-png.so
alone/bin/pcomp timeline data -o alone.png 2>&1 | tail -n 1 | sed "s|$PWD/||; s|: [^:]* (write| REASON (write|"
ls
