# No file may grow: the command says so and lives, and does not start the program.
(ulimit -f 0; pcomp record -- sample; echo "status $?") 2>&1 | cat
ls
# the program finds the signal as it was
cat >fsize.sh <<'END'
grep -E '^Sig(Ign|Cgt)' /proc/self/status | while read -r name mask; do
    [ $((0x$mask >> 24 & 1)) = 0 ] || echo "SIGXFSZ is in $name"
done
END
pcomp record -- sh ./fsize.sh 2>/dev/null
