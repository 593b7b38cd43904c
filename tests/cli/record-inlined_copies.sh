# What the compiler inlined belongs to the function around it where sites are left behind inlining, although the inlined
# function has calls of its own elsewhere.
source=$(dirname "$case")/inlined_load.c
shares() {
    rm -rf data
    pcomp record -o data -- "./$1" 1000 2>/dev/null
    pcomp report --format csv --names full data 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { share[$1] = $at["share"] }
            END { print (share["step"] < 0.1 ? "few" : "much") " of the time is of step, " \
                        (share["work"] > 0.8 ? "much" : "few") " of work" }'
}
sites=$(pcomp flags gcc 2>/dev/null)
case $sites in
*-fplugin=*) ;;
*) skip "no sleds of gcc" ;;
esac
command -v clang >/dev/null || skip "no clang"
libraries=$(dirname "$(dirname "$(command -v pcomp)")")/lib
eval "gcc -O2 -g $sites '$source' -o sleds" && shares sleds
clang -O2 -g -finstrument-functions-after-inlining "$source" -o after -L"$libraries" -lpcomp -Wl,-rpath,"$libraries" && shares after
