#!/bin/bash
# mpi_symbols.sh NAMES LIBRARY...: each library for MPI programs exports what mpi_names.h lists, and nothing else: what is
# wrapped but not listed would not be found by the preloaded library.
set -u
names=$1
shift
bad=0
listed=$(grep -o 'X([A-Z][a-z_A-Z]*)' "$names" | sed 's/X(\(.*\))/MPI_\1/' | grep -v '^MPI_X$' | sort)
[ "$(echo "$listed" | wc -l)" -gt 50 ] || {
    echo "$names: lists too little"
    bad=1
}
for library in "$@"; do
    difference=$(diff <(echo "$listed") <(nm -D --defined-only "$library" | awk '{ print $NF }' | sort)) || {
        echo "$library: exports other names than $names lists:"
        echo "$difference"
        bad=1
    }
done
exit $bad
