# Not replayed: the measured execution alone, and it says so. A part of it; many locations share the height.
{
    echo "location main"
    echo "0 create 1"
    echo "0 enter main"
    echo "4000 exit main"
    i=1
    while [ $i -le 500 ]; do
        echo "location worker"
        echo "$((i * 4)) enter work"
        echo "3000 exit work"
        i=$((i + 1))
    done
} | make_trace data
pcomp timeline data -o all.svg --width 500
grep -o '<text [^>]*>[^<]*' all.svg | sed 's/<text .*>//' | grep -v thread
pcomp timeline data -o part.svg --width 500 --from 1us --to "2 us"
grep -o '<text [^>]*>[^<]*' part.svg | sed 's/<text .*>//' | grep -v thread
pcomp timeline data -o - --width 500
pcomp timeline data -o part.svg --from 5us
pcomp timeline data -o part.svg --to 1h
pcomp timeline nothing -o part.svg
