#!/bin/bash
# include_graph.sh SOURCE: who may include whom (docs/internals/map.md). A part may include what is listed for it.
set -u
cd "$1" || exit 2
bad=0

# Only arithmetic: no clock, no input or output, no operating system.
pure='<(assert|float|inttypes|limits|math|stdbool|stddef|stdint|stdlib|string)\.h>'
config='"pcomp_config\.h"'

# check DIRECTORY ALLOWED-QUOTED [ALLOWED-ANGLE]: extended regular expressions over the text after #include
check() {
    local file line name
    while IFS=: read -r file line name; do
        case $name in
        \"*) echo "$name" | grep -qE "^($2)" && continue ;;
        \<*) [ $# -lt 3 ] && continue
            echo "$name" | grep -qE "^($3)" && continue ;;
        esac
        echo "$file:$line: $1/ must not include $name"
        bad=1
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' --include='*.cc' "$1" 2>/dev/null |
        sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/:/')
}

check compensation '"compensation/' "$pure"
check compensation/estimate '"compensation/estimate/' "$pure"
check compensation/control '"compensation/(estimate|control)/' "$pure"
check profiler "\"(profiler|compensation)/|$config"
check instrument "\"(instrument|profiler|compensation)/|$config"
# Folders of the reporters, lowest first: each may include those of the lines above, and itself.
below=
while read -r layer; do
    for folder in $layer; do
        check "reporters/$folder" "\"reporters/($below$folder)/|\"compensation/|\"profiler/(profile|trace)_format\.h\"|$config"
        [ -d "reporters/$folder" ] || { echo "reporters/$folder: is listed here, and is not there" && bad=1; }
    done
    below="$below${layer// /|}|"
done <<'END'
base
profile
launch symbols
consult filter
flags tree
calibrate trace
info predict replay timeline verify
report
advise annotate export page
cmd
END
for file in reporters/*.[ch]; do
    [ -e "$file" ] && echo "$file: belongs into a folder" && bad=1
done
for folder in reporters/*/; do
    case "|$below" in *"|$(basename "$folder")|"*) ;; *) echo "$folder: has no place in the order" && bad=1 ;; esac
done
check docs '"[a-z_]+\.h"' # examples know nothing of pcomp's sources
check bench "\"(bench|instrument|profiler|compensation|tests/support)/|$config|\"[a-z_0-9]+\.h\""
check tests/compensation '"(compensation|tests/compensation|tests/support)/'
check tests/profiler "\"(profiler|compensation|tests/profiler|tests/support)/|$config|\"[a-z_0-9]+\.h\""
check tests/instrument "\"(instrument|profiler|compensation|tests/instrument|tests/support)/|$config|\"[a-z_0-9]+\.h\""
exit $bad
