# What a traced run leaves, how it is listed, and that compressing it changes nothing but its size.
numbers() { sed -E 's/[0-9.]+ (m|µ|u|n)s/TIME/g; s/[0-9.]+ [KM]?i?B/SIZE/g; s/[0-9]+-([0-9])/N-\1/g; s/^ +[0-9]+/ PID/'; }
pcomp record --trace --trace-all -- sample 2>&1 | numbers
pcomp info | grep -A 9 "^mode" | numbers | sed 's/  */ /g'
cp -r pcomp.data whole
pcomp info --compress | numbers
ls pcomp.data | numbers
same() { pcomp info "$1" --format json | sed -n 's/.*\("events": [0-9]*, "overwritten": [0-9]*, "lost": [0-9]*\).*/\1/p'; }
same whole
same pcomp.data
pcomp export whole --format chrome -o whole.json && pcomp export pcomp.data --format chrome -o packed.json
sed 's/whole/DIR/g' whole.json >a; sed 's/pcomp\.data/DIR/g' packed.json >b; cmp a b && echo "the same events"
pcomp info --compress | numbers
pcomp record --trace --trace-all --trace-limit 64K:ring -- sample 2>&1 | numbers
ls -d pcomp.data.old/*.zst | numbers
pcomp record --trace --trace-all --skip '*' -- sample 2>&1 | numbers
