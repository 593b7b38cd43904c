#!/bin/bash
# static_symbols.sh ARCHIVE MAP: what libpcomp.a defines for the linker cannot collide with a name of the user's program.
set -u
listed=$(sed 's@/\*.*\*/@@; s@#.*@@' "$2" | tr -s ' \t\n' '\n' |
    awk '/^global:/ { on = 1; next } /^local:/ { on = 0 } on { gsub(/;/, ""); if ($0 != "") print }')
bad=0
for name in $(nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort -u); do
    case $name in pcomp_* | __pcomp_* | DW.ref.* | __asan_* | __odr_asan*) continue ;; esac
    echo "$listed" | grep -qxF "$name" && continue
    echo "$1: defines $name, which could collide with a program's own"
    bad=1
done
exit $bad
