#!/bin/bash
# Whatever runs out, the program is not harmed: same result, one message, what was counted kept.
. "$(dirname "$0")/case.sh"
cat > "$work/program.c" << 'C'
/* Many call paths, then COUNT repeated calls; 200 threads; its own result goes to standard output. */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#define F(n) __attribute__((noinline)) long f##n(long d) { __asm__ volatile(""); return d ? go(d - 1, n) : n; }
long go(long d, long n);
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
long go(long d, long n)
{
    static long (*const f[])(long) = {f0, f1, f2, f3, f4, f5, f6, f7};
    long s = n;
    for (int i = 0; i < 8; i++)
        s += f[i](d);
    return s;
}
void *thread(void *p) { go(1, (long)p); return p; }
int main(void)
{
    long s = go(5, 0) + go(5, 0);
    for (int i = 0; i < 200; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, thread, p_of(i)) == 0)
            pthread_join(t, NULL);
    }
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%ld\n", s);
    fprintf(stderr, "%s", u.ru_maxrss > 400000 ? "memory\n" : "");
    return s == EXPECTED ? 17 : 18;
}
C
sed -i 's/p_of(i)/(void *)(long)i/' "$work/program.c"
build gcc none plain "-O1 -DEXPECTED=0" "$work/program.c"
expected=$("$work/plain")
build gcc shared program "-O1 -DEXPECTED=$expected" "$work/program.c"

harmless() # the run before must have printed the right result
{
    [ "$(cat "$work/out")" = "$expected" ] || fail "$1: other output"
    : > "$work/out"
}

run 17 "$work/program"
harmless "unlimited"
silent
check "expect closed 1" "expect threads 201"

# RLIMIT_FSIZE: in KiB with -f; below what the profile needs
for limit in 0 16 200 800; do
    drop "$PCOMP_DATA"
    run 17 bash -c "{ ulimit -f $limit; exec $work/program; } 2> >(cat >&2) > >(cat)"
    sleep 0.1
    harmless "ulimit -f $limit"
    says "pcomp: " 2
done

# RLIMIT_NOFILE: none left
drop "$PCOMP_DATA"
# (set by the program, since the loader needs one)
cat > "$work/no_files.c" << 'C'
#include <sys/resource.h>
__attribute__((constructor(101), no_instrument_function)) static void no_files(void)
{
    struct rlimit none = {3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
}
C
build gcc shared no_files "-O1 -DEXPECTED=$expected" "$work/program.c" "$work/no_files.c"
drop "$PCOMP_DATA"
run 17 "$work/no_files"
harmless "no descriptors"
says "not measuring"

# RLIMIT_AS: too little for the usual window, and too little for anything
if [ -z "$SANITIZE" ]; then
    for limit in 4000000 300000 60000 20000; do
        drop "$PCOMP_DATA"
        run 17 bash -c "ulimit -v $limit; exec $work/program"
        harmless "ulimit -v $limit"
    done
fi

# data directory that cannot be made or written
drop "$PCOMP_DATA"
PCOMP_DATA=/proc/nothing/data run 17 "$work/program"
harmless "/proc"
says "pcomp: /proc/nothing/data: not measuring"
echo text > "$work/file"
PCOMP_DATA="$work/file" run 17 "$work/program"
harmless "a file in place of the directory"
says "not measuring"
[ "$(cat "$work/file")" = text ] || fail "the file in place of the directory was changed"
mkdir "$work/other" && echo precious > "$work/other/run" && echo precious > "$work/other/1-0.pcomp"
PCOMP_DATA="$work/other" run 17 "$work/program"
harmless "a foreign directory"
says "not measuring"
[ "$(cat "$work/other/run" "$work/other/1-0.pcomp")" = "precious
precious" ] || fail "a foreign directory was changed"

# a file system that is full: as root only
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=1m tmpfs "$work/small" 2> /dev/null; then
    for size in 64k 300k 800k; do
        mount -o remount,size=$size tmpfs "$work/small"
        PCOMP_DATA="$work/small/data" run 17 "$work/program"
        harmless "a file system of $size"
        says "pcomp: " 2
        drop "$work/small/data"
    done
    # threads that find no memory: their calls are told as lost, and cost no memory (every call timed: of sites
    # counted in place nobody tells how many were lost)
    mount -o remount,size=400k tmpfs "$work/small"
    build gcc shared exhausted -O1 "$SOURCES/programs/exhausted.c"
    PCOMP_OPTIONS="--mode full" PCOMP_DATA="$work/small/data" run 0 "$work/exhausted" "$work/small"
    says "measurement stopped"
    sed -n 's/.* \([0-9]*\) not$/\1/p' "$work/err" | grep -qx 3000003 || fail "lost calls: $(cat "$work/err")"
    umount "$work/small"
else
    echo "NOT TESTED: full file system (needs root)"
fi

# standard error closed: the message goes nowhere else
drop "$PCOMP_DATA"
PCOMP_OPTIONS="--nonsense" run 17 bash -c "exec $work/program 2>&-"
harmless "closed error output"
[ -e "$PCOMP_DATA" ] && fail "a profile in spite of a bad option"
# a broken pipe, and a file at its limit: the message must not end the program
PCOMP_OPTIONS="--nonsense" run 17 bash -c "exec 2> >(exec true); sleep 0.2; exec $work/program"
harmless "error output into a broken pipe"
PCOMP_OPTIONS="--nonsense" run 17 bash -c "{ ulimit -f 0; exec $work/program; } 2> $work/errors > >(cat)"
finish
