#!/bin/bash
# The data directory: made, joined, moved aside, left alone; and processes that must leave none.
. "$(dirname "$0")/case.sh"
cat > "$work/program.c" << 'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x; }
int main(int argc, char **argv)
{
    leaf(1);
    if (argc > 1 && argv[1][0] == 'w') { /* wait until the file is there */
        char ready[4000];
        snprintf(ready, sizeof(ready), "%s.ready", argv[2]);
        fclose(fopen(ready, "w"));
        while (access(argv[2], F_OK) != 0)
            usleep(1000);
    }
    if (argc > 1 && argv[1][0] == 'c' && (chroot(argv[2]) != 0 || chdir("/") != 0))
        return 1;
    for (int i = 0; i < 9; i++)
        leaf(i);
    return 0;
}
C
cat > "$work/quiet.c" << 'C'
int main(void) { return 7; }
C
build gcc shared program -O1 "$work/program.c"
build gcc shared quiet "-O1 -fno-instrument-functions -Wl,--no-as-needed" "$work/quiet.c"
: > "$work/out"
count() { ls "$1" 2> /dev/null | grep -c '\.pcomp$'; }

# no hook fires: nothing is made, nothing is said; whatever the options
run 7 "$work/quiet"
silent
PCOMP_OPTIONS=--nonsense run 7 env LD_PRELOAD="$([ -z "$SANITIZE" ] && echo "$LIBDIR/libpcomp.so")" "$work/quiet"
silent
[ -e "$PCOMP_DATA" ] && fail "a data directory without a hook"

# the default place; relative places are those of the start
(cd "$work" && mkdir here && cd here && env -u PCOMP_DATA "$work/program" 2> "$work/err") || fail "default place"
silent
[ "$(count "$work/here/pcomp.data")" = 1 ] || fail "no profile in ./pcomp.data"

# an older directory is moved aside, and the one before it is given up
run 0 "$work/program"
first=$(ls "$PCOMP_DATA"/*.pcomp)
run 0 "$work/program"
run 0 "$work/program"
[ "$(count "$PCOMP_DATA")" = 1 ] && [ "$(count "$PCOMP_DATA.old")" = 1 ] || fail "older directories are not kept once"
[ -e "$PCOMP_DATA/$(basename "$first")" ] && fail "a profile of an older run"
silent
check "expect calls leaf 10" "expect processes 1"

# processes of one run join
drop "$PCOMP_DATA" "$PCOMP_DATA.old"
export PCOMP_RUN_ID=0123456789abcdef0123456789abcdef
for i in 1 2 3 4; do "$work/program" & done
wait
run 0 "$work/program"
unset PCOMP_RUN_ID
[ -e "$PCOMP_DATA.old" ] && fail "processes of one run moved its directory aside"
check "expect processes 5" "expect calls leaf 50"
grep -q "id 0123456789abcdef0123456789abcdef" "$PCOMP_DATA/run" || fail "another run id"

# a directory that a live process uses is not moved
drop "$PCOMP_DATA" "$PCOMP_DATA.old"
"$work/program" w "$work/go" &
while [ ! -e "$work/go.ready" ]; do sleep 0.01; done
run 0 "$work/program"
touch "$work/go"
wait
[ -e "$PCOMP_DATA.old" ] && fail "the directory of a live process was moved"
check "expect calls leaf 20" "expect processes 2" "expect closed 2"

# a directory that is deleted meanwhile is made again for the profile; one with traces is gone, and nothing stays in memory
drop "$PCOMP_DATA" "$PCOMP_DATA.old"
deleted() # OPTIONS
{
    rm -f "$work/go" "$work/go.ready"
    PCOMP_OPTIONS=$1 "$work/program" w "$work/go" 2> "$work/err" &
    while [ ! -e "$work/go.ready" ]; do sleep 0.01; done
    memory=$(readlink "$PCOMP_DATA"/*.pcomp)
    rm -r "$PCOMP_DATA"
    touch "$work/go"
    wait
    [ -n "$memory" ] && [ -e "$memory" ] && fail "the memory file of a deleted directory stays"
}
deleted "$PCOMP_OPTIONS"
says "was deleted while the program ran, and was made again"
check "expect calls leaf 10" "expect processes 1" "expect closed 1"
"$PCOMP" report "$PCOMP_DATA" > /dev/null || fail "a directory that was made again is not reported"
deleted --trace
says "was deleted while the program ran, and what was measured is lost"
[ -e "$PCOMP_DATA" ] && fail "a directory without its traces"

# a process that died leaves its profile in memory; the directory can be moved, the memory is not leaked by the next but one
drop "$PCOMP_DATA" "$PCOMP_DATA.old"
"$work/program" w "$work/never" &
child=$!
while [ ! -e "$work/never.ready" ]; do sleep 0.01; done
kill -9 $child
wait $child 2> /dev/null
memory=$(readlink "$PCOMP_DATA"/*.pcomp)
check "expect calls main 1" "expect open main 1" "expect live 1" "expect processes 1"
run 0 "$work/program"
run 0 "$work/program"
[ -n "$memory" ] && [ -e "$memory" ] && fail "the memory file of a removed profile stays"
silent

# a link that another user left leads to memory that stays
if [ "$(id -u)" = 0 ]; then
    memory=/dev/shm/pcomp-0-0123456789abcdef-1-0
    mkdir -p "$PCOMP_DATA.old" && : > $memory && ln -sf $memory "$PCOMP_DATA.old/1-0.pcomp"
    chown -h 65534 "$PCOMP_DATA.old/1-0.pcomp"
    run 0 "$work/program"
    [ -e $memory ] || fail "memory of another user than the link's was removed"
    rm -f $memory
else
    echo "NOT TESTED: links of another user (needs root)"
fi

# no file is left beside
ls -A "$PCOMP_DATA" | grep -v -e '^run$' -e '^[0-9]*-[0-9]*\.pcomp$' && fail "other files in the data directory"

# chroot: the profile may stay in memory, the program is not harmed
if [ "$(id -u)" = 0 ] && [ -z "$SANITIZE" ]; then
    drop "$PCOMP_DATA" "$PCOMP_DATA.old"
    mkdir "$work/jail"
    run 0 "$work/program" c "$work/jail"
    check "expect calls leaf 10" "expect processes 1"
    [ -z "$(ls -A "$work/jail")" ] || fail "files in the new root"

    rm -f "$(readlink "$PCOMP_DATA"/*.pcomp)"

    # set-user-ID: neither variable is honoured
    drop "$PCOMP_DATA" "$PCOMP_DATA.old"
    build gcc static setuid -O1 "$work/program.c"
    cp "$work/setuid" "$work/raised" && chown 1 "$work/raised" && chmod 4755 "$work/raised" && chmod 755 "$work"
    chmod 777 "$work"
    run 0 setpriv --reuid 65534 --clear-groups "$work/raised"
    [ -e "$PCOMP_DATA" ] && fail "a set-user-ID program wrote a profile"
else
    echo "NOT TESTED: chroot, set-user-ID (need root)"
fi
finish
