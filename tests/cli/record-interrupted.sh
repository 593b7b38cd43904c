# A second SIGTERM, as timeout sends one to the group, does not cut the closing line off.
spin_here() { pcomp record -- spin 100000 2>err & }
for i in 1 2 3; do
    rm -rf pcomp.data
    spin_here
    until ls pcomp.data/*.pcomp >/dev/null 2>&1; do sleep 0.05; done
    kill -TERM $!; kill -TERM $! 2>/dev/null
    wait $!; echo "$?: $(grep -c 'calls* recorded in' err)"
done
