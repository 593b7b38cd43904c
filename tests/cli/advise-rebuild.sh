# Records, takes the advice, compiles with it, and records again: what the ordinary build has inlined is left out, but
# not where gcc's substrings would take a needed function along.
cat >work.c <<"END"
static volatile unsigned sink;
static unsigned step(unsigned a) { return a * 1103515245 + 12345; }
static unsigned get(unsigned a) { return a ^ a >> 3; }
__attribute__((noinline)) unsigned target(unsigned n)
{
    unsigned a = n;
    for (int i = 0; i < 60000; i++)
        a = a * 5 + sink;
    return a;
}
__attribute__((noinline)) unsigned next_step(unsigned n)
{
    return n + sink;
}
__attribute__((noinline)) unsigned mix(unsigned n)
{
    unsigned a = n;
    for (int i = 0; i < 1000; i++) {
        a += step(a);
        if (i % 2)
            a += get(a);
    }
    return next_step(a);
}
int main(void)
{
    for (unsigned n = 0; n < 1000; n++)
        sink += mix(n) + target(n);
    return 0;
}
END
gcc -g -O2 work.c -o plain
gcc -g -O2 -finstrument-functions work.c -o measured
pcomp record --mode full -o before -- ./measured 2>/dev/null
pcomp advise before --plain plain --format gcc
pcomp advise before --plain plain --format csv 2>/dev/null | cut -d, -f1,4,5,10-12
pcomp advise before --plain plain -o args | grep -E '^For gcc|^-finst'
pcomp advise before --plain plain | grep -E '^For gcc|^-finst'
pcomp advise before --plain plain --format json | grep -o '"reason": "[^0-9]*'
gcc -g -O2 -finstrument-functions @args work.c -o less
pcomp record --mode full -o after -- ./less 2>/dev/null
echo "left:"
pcomp report after --format csv --sort name 2>/dev/null | columns name line | grep -v '^\['
