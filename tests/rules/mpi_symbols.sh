#!/bin/bash
# mpi_symbols.sh NAMES LIBRARY... --isendrecv LIBRARY... --mpi-4 LIBRARY...: each library for MPI programs exports what
# mpi_names.h lists for its MPI, and nothing else: what is wrapped but not listed would not be found by the preloaded
# library.
set -u
names=$1
shift
bad=0
# names_with SUFFIX [MPI_4]: those with counts have it, which stand as X(NAME##c); those that MPI 4 has brought, or the
# others
names_with() {
    local which=(-v)
    [ $# -lt 2 ] || which=()
    grep "${which[@]}" '#define MPI_NAMES_OF_MPI_4' "$names" | grep -oE 'X\([A-Z][a-z_A-Z]*##c\)' | sed "s/X(\(.*\)##c)/MPI_\1$1/"
}
listed=$({ names_with ''; grep -oE 'X\([A-Z][a-z_A-Z]*\)' "$names" | sed 's/X(\(.*\))/MPI_\1/'; } | sort)
listed_isendrecv=$({ echo "$listed"; names_with '' MPI_4; } | sort)
listed_large=$({ echo "$listed_isendrecv"; names_with _c; names_with _c MPI_4; } | sort)
[ "$(echo "$listed" | wc -l)" -gt 50 ] || {
    echo "$names: lists too little"
    bad=1
}
wanted=$listed
for library in "$@"; do
    case $library in
    --isendrecv) wanted=$listed_isendrecv ;;
    --mpi-4) wanted=$listed_large ;;
    esac
    [[ $library != --* ]] || continue
    exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort)
    difference=$(diff <(echo "$wanted") <(echo "$exported")) || {
        echo "$library: exports other names than $names lists:"
        echo "$difference"
        bad=1
    }
done
exit $bad
