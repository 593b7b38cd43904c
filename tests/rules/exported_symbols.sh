#!/bin/bash
# exported_symbols.sh LIBRARY MAP: the shared library exports what its linker map lists, and the map lists pcomp_*, the
# compiler's hooks, the entry of OpenMP tools, and functions of OpenMP, libc and of the C++ ABI that are interposed. The map
# gives no version: the library is also preloaded.
set -u
library=$1 map=$2
bad=0

grep -qE '^[[:space:]]*\{' <(grep -vE '^[[:space:]]*(#|/\*|\*|$)' "$map" | head -n 1) || {
    echo "$map: names a version"
    bad=1
}
if readelf -V "$library" | grep -q 'Version definition'; then
    echo "$library: defines symbol versions"
    bad=1
fi

listed=$(sed 's@/\*.*\*/@@; s@#.*@@' "$map" | tr -s ' \t\n' '\n' |
    awk '/^global:/ { on = 1; next } /^local:/ { on = 0 } on { gsub(/;/, ""); if ($0 != "") print }')
libc=$(ldd /bin/sh | awk '/libc\.so/ { print $3 }')
of_libc=$(nm -D --defined-only "$libc" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u)
for name in $listed; do
    case $name in
    pcomp_* | __cyg_profile_func_enter | __cyg_profile_func_exit | __cxa_* | ompt_start_tool) continue ;;
    GOMP_* | __kmpc_* | omp_*) continue ;;
    esac
    echo "$of_libc" | grep -qxF "$name" || {
        echo "$map: $name is neither pcomp_*, a hook, an entry of a tool nor a function of OpenMP, libc or the C++ ABI"
        bad=1
    }
done

for name in $(nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u); do
    found=no
    for pattern in $listed; do
        # shellcheck disable=SC2254
        case $name in $pattern) found=yes ;; esac
    done
    [ $found = yes ] || {
        echo "$library: exports $name, which $map does not list"
        bad=1
    }
done
[ -n "$listed" ] || {
    echo "$map: lists nothing"
    bad=1
}
exit $bad
