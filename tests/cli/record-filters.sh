names() { pcomp report --format csv 2>/dev/null | sed 1d | cut -d, -f1,15 | sort | tr '\n' ' '; echo; }
pcomp record --skip inner -- sample 2>/dev/null; names
pcomp record --only 'inn*' -- sample 2>/dev/null; names
pcomp record --only file:sample.c --skip outer -- sample 2>/dev/null; names
pcomp record --only module:sample -- sample 2>/dev/null; names
pcomp record --skip "it's" --skip 'a b' -- sample 2>/dev/null; names
pcomp record --only nothing -- sample 2>&1 | head -1
