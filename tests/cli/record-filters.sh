names()
{
    pcomp report --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "N") n = i; next } $n { print $1 "," $n }' | sort | tr '\n' ' '
    echo
}
pcomp record --skip inner -- sample 2>/dev/null; names
pcomp record --only 'inn*' -- sample 2>/dev/null; names
pcomp record --only file:sample.c --skip outer -- sample 2>/dev/null; names
pcomp record --only module:sample -- sample 2>/dev/null; names
pcomp record --skip "it's" --skip 'a b' -- sample 2>/dev/null; names
pcomp record --only nothing -- sample 2>&1 | head -1
pcomp record --only nothing -- sample 2>&1 | tail -n 1 | sed 's/, [0-9.]* .s / TIME /'
