#!/bin/bash
# --only and --skip: the sites of a function that is filtered out are off, and its calls are not counted; what it calls
# belongs to the nearest measured caller. Under every model and with the other options beside, for each form of sites.
# main, the first function of all, may be reached before its sites are known.
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
case_of() # OPTIONS "FILTERED..." EXPECTATION...
{
    drop "$PCOMP_DATA"
    export PCOMP_OPTIONS="$mode_options $1"
    local name calls=() filtered=$2
    shift 2
    for name in main:1 rec:400 middle:200 leaf:700; do
        case " $filtered " in *" ${name%:*} "*) [ $name = main:1 ] || name=${name%:*}:0 ;; esac
        calls+=("expect calls ${name%:*} ${name#*:}")
    done
    run 0 "$work/program"
    silent
    check "expect closed 1" "${calls[@]}" "$@"
}
others=("--model none" "--model paper" "--call-sites" "--clock monotonic")
[ "$MODE" = full ] || others=() # these are of that mode in any case
measured() # OPTIONS
{
    local more=$1
    case_of "$more" "" "expect path main>middle>leaf 200" "expect path main>rec>rec>rec>rec>middle>leaf 200"
    case_of "--skip leaf $more" leaf "expect path main>middle 100" "expect elapsed leaf 0 0"
    case_of "--skip middle $more" middle "expect path main>leaf 200" "expect path main>rec>rec>rec>rec>leaf 200"
    case_of "--skip 'mid*' --skip=le?f $more" "middle leaf" "expect path main>rec 100" "expect elapsed middle 0 0"
    case_of "--skip rec $more" rec "expect path main>leaf 300" "expect path main>middle>leaf 400"
    case_of "--only main --only middle $more" "rec leaf" "expect path main>middle 200" "expect elapsed leaf 0 0"
    case_of "--only nothing $more" "main rec middle leaf" "expect elapsed main 0 0"
    case_of "--skip module:*program $more" "main rec middle leaf" "expect elapsed main 0 0"
    case_of "--only module:$work/program --skip module:*libc* $more" "" "expect path main>middle>leaf 200"
}
for form in gcc clang-sleds gcc-sleds; do
    (sites_of $form) > /dev/null || { echo "$form is left out: no plugin"; continue; }
    case $SANITIZE:$form in ?*:clang*) echo "$form is left out: the sanitizers are gcc's"; continue ;; esac
    build $form shared program -O1 "$work/program.c"
    for more in "" "${others[@]}"; do
        measured "$more"
    done
    others=()
done
finish
