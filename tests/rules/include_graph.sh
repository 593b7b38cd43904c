#!/bin/bash
# include_graph.sh SOURCE: who may include whom (docs/internals/map.md). Parts include what is listed for them; folders of
# a part include those of the lines above theirs, and themselves; neither files (a module is x.h and x.c) nor folders
# include each other in a circle.
set -u
cd "$1" || exit 2
bad=0

# Only arithmetic: no clock, no input or output, no operating system.
pure='<(assert|float|inttypes|limits|math|stdbool|stddef|stdint|stdlib|string)\.h>'
config='"pcomp_config\.h"'

# includes DIRECTORY...: FILE:LINE:NAME of every #include
includes() {
    grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' --include='*.cc' "$@" 2>/dev/null |
        sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/:/'
}

# check DIRECTORY ALLOWED-QUOTED [ALLOWED-ANGLE]: extended regular expressions over the text after #include
check() {
    local file line name
    while IFS=: read -r file line name; do
        case $name in
        \"*) [[ $name =~ ^($2) ]] && continue ;;
        \<*) [[ $# -lt 3 || $name =~ ^($3) ]] && continue ;;
        esac
        echo "$file:$line: $1/ must not include $name"
        bad=1
    done < <(includes "$1")
}

check compensation '"compensation/' "$pure"
check profiler "\"(profiler|compensation)/|$config"
check instrument "\"(instrument|profiler|compensation)/|$config"
check reporters "\"(reporters|compensation|profiler/format)/|$config"
check docs '"[a-z_]+\.h"' # examples know nothing of pcomp's sources
check bench "\"(bench|instrument|profiler|compensation|tests/support)/|$config|\"[a-z_0-9]+\.h\""
check tests/compensation '"(compensation|tests/compensation|tests/support)/'
check tests/profiler "\"(profiler|compensation|tests/profiler|tests/support)/|$config|\"[a-z_0-9]+\.h\""
check tests/instrument "\"(instrument|profiler|compensation|tests/instrument|tests/support)/|$config|\"[a-z_0-9]+\.h\""

# Folders, lowest first.
order() {
    cat <<'END'
compensation/numeric
compensation/trace_event
compensation/cost compensation/estimate
compensation/control
compensation/search
compensation/replay/cores
compensation/replay/engine
compensation/replay/rules
compensation/replay
profiler/format
profiler/base
profiler/code/modules
profiler/code/arch/x86_64
profiler/code/sites
profiler/code
profiler/stack
profiler/record
profiler/calibrate
profiler/control
profiler/trace
profiler/hooks
profiler/process
instrument
instrument/gcc instrument/mpi instrument/probes instrument/sync
instrument/mpi/job instrument/outside
reporters/base
reporters/profile
reporters/launch reporters/symbols
reporters/consult reporters/filter
reporters/flags reporters/tree/build
reporters/tree/merge
reporters/tree
reporters/calibrate reporters/trace/files
reporters/trace
reporters/liberal
reporters/info reporters/predict reporters/replay/drive reporters/timeline reporters/verify
reporters/replay
reporters/report
reporters/advise reporters/annotate reporters/diff reporters/export reporters/page reporters/record
reporters/live
reporters/cmd
END
}

includes compensation profiler instrument reporters | awk -v order="$(order)" '
    function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
    function module_of(path) { sub(/\.(c|cc|h)$/, "", path); return path }
    function add(from, to) {
        if (from != to && !((from, to) in edge)) {
            edge[from, to] = 1
            next_of[from] = next_of[from] " " to
            nodes[from] = nodes[to] = 1
        }
    }
    # Components of the graph that hold more than one node are circles.
    function visit(v, list, n, i, w, circle) {
        index_of[v] = low[v] = ++counter
        stack[++depth] = v
        on[v] = 1
        n = split(next_of[v], list, " ")
        for (i = 1; i <= n; i++) {
            w = list[i]
            if (!(w in index_of)) {
                visit(w)
                low[v] = low[w] < low[v] ? low[w] : low[v]
            } else if (on[w] && index_of[w] < low[v])
                low[v] = index_of[w]
        }
        if (low[v] != index_of[v])
            return
        for (circle = ""; ; circle = circle " " w) {
            w = stack[depth--]
            on[w] = 0
            if (w == v)
                break
        }
        if (circle != "") {
            print "include each other in a circle:" circle " " v
            circles++
        }
    }
    function count(v) {
        circles = 0
        for (v in nodes)
            if (!(v in index_of))
                visit(v)
        delete nodes; delete edge; delete next_of; delete index_of
        return circles
    }
    BEGIN {
        for (i = split(order, lines, "\n"); i; i--)
            for (k = split(lines[i], names, " "); k; k--)
                layer[names[k]] = i
    }
    { split($0, part, ":"); name = part[3]; from = part[1] }
    !(folder_of(from) in layer) { print from ": its folder has no place in the order"; bad = 1; next }
    name !~ /^"(compensation|profiler|instrument|reporters)\// { next }
    {
        gsub(/"/, "", name)
        sub(/ .*/, "", name)
        a = folder_of(from)
        b = folder_of(name)
        if (a != b && layer[b] >= layer[a]) {
            print from ":" part[2] ": " a "/ must not include " name
            bad = 1
        }
        files[++count_of] = module_of(from) " " module_of(name)
        folders[count_of] = a " " b
    }
    END {
        for (i = 1; i <= count_of; i++) { split(files[i], f, " "); add(f[1], f[2]) }
        of_files = count()
        for (i = 1; i <= count_of; i++) { split(folders[i], f, " "); add(f[1], f[2]) }
        of_folders = count()
        print of_files " circles of files, " of_folders " circles of folders"
        exit bad || of_files || of_folders
    }' || bad=1

while read -r folder; do
    [ -d "$folder" ] || { echo "$folder: is in the order, and not there" && bad=1; }
done < <(order | tr ' ' '\n')
# A folder that holds more than these is no place where anything is found.
while read -r folder; do
    sources=$(find "$folder" -maxdepth 1 \( -name '*.[ch]' -o -name '*.cc' \) | wc -l)
    [ "$sources" -le 25 ] || { echo "$folder: $sources sources, more than 25" && bad=1; }
done < <(find compensation profiler instrument reporters -type d)
exit $bad
