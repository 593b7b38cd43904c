#!/bin/bash
# --only and --skip: a function that is filtered out is counted, not timed; what it calls belongs to the nearest measured
# caller. Under every model and with the other options beside.
. "$(dirname "$0")/case.sh"
cat > "$work/program.c" << 'C'
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x; }
__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x); }
__attribute__((noinline)) int rec(int n) { return n ? rec(n - 1) + leaf(n) : middle(1); }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += middle(i) + rec(3); return s == 0; }
C
cat > "$work/library.c" << 'C'
int leaf(int x);
int in_library(int x) { return leaf(x); }
C
build gcc shared program -O1 "$work/program.c"
case_of() # OPTIONS EXPECTATION...
{
    drop "$PCOMP_DATA"
    export PCOMP_OPTIONS="$mode_options $1"
    shift
    run 0 "$work/program"
    silent
    check "expect closed 1" "expect calls main 1" "expect calls rec 400" "expect calls middle 200" \
        "expect calls leaf 700" "$@"
}
others=("--model none" "--model paper" "--call-sites" "--clock monotonic")
[ "$MODE" = full ] && others=() # these are of that mode in any case
for more in "" "${others[@]}"; do
    case_of "$more"  "expect path main>middle>leaf 200" "expect path main>rec>rec>rec>rec>middle>leaf 200"
    case_of "--skip leaf $more" "expect path main>middle 100" "expect path main>middle>leaf 200" \
        "expect elapsed leaf 0 0"
    case_of "--skip middle $more" "expect path main>leaf 200" "expect path main>rec>rec>rec>rec>leaf 200" \
        "expect path main>middle>leaf 0"
    case_of "--skip 'mid*' --skip=le?f $more" "expect path main>leaf 200" "expect elapsed middle 0 0"
    case_of "--skip rec $more" "expect path main>leaf 300" "expect path main>middle>leaf 400" \
        "expect path main>rec>leaf 0"
    case_of "--only main --only middle $more" "expect path main>middle 200" "expect path main>middle>leaf 400" \
        "expect elapsed leaf 0 0"
    case_of "--only nothing $more" "expect elapsed main 0 0"
    case_of "--skip module:*program $more" "expect elapsed main 0 0"
    case_of "--only module:$work/program --skip module:*libc* $more" "expect path main>middle>leaf 200"
done
finish
