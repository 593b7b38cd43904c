# Of a counted function two runs tell the exact difference of calls; export and compare leave out the time that is not
# known, and no other.
tree() {
    printf 'main 1 10000000\n  load 3 2000000\n    parse 500 100000\ncount parse %s live counted\ncount walk %s live %s\n' "$@"
}
tree 1999500 30 timed | make_profile before flags=512 price=0.5
tree 1999503 50 counted | make_profile after flags=512 price=0.5
pcomp diff before after
pcomp diff before after --format json | grep '"parse"\|counting in place'
pcomp compare after
pcomp export after --format callgrind -o out.callgrind
sed -n '/^summary/p;/counting in place/,/^$/p' out.callgrind
pcomp export after --format folded -o out.folded
cat out.folded
pcomp export after --format speedscope -o out.json
tail -5 out.json | cut -c 1-300
