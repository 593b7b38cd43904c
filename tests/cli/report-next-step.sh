# The last line is the step that helps most.
next() { pcomp report data "$@" | tail -n 1; }
echo "main 1 100000" | make_profile data; next
printf 'main 1 1000000\n  f 1000000 40000000\n' | make_profile data own=10 descendant=100; next
printf 'main 1 1000000\n  f 10 400000000\n' | make_profile data; next; next --view tree; next -q
printf 'main 1 1000000\n  f 1 20000000 15000000 0\nthread worker\nwork 1 20000000 15000000 0\n' | make_profile data flags=512; next
