#!/bin/bash
# mpi_preload.sh PRELOADED: preloading the library that serves all MPIs brings none of them into a process without one,
# and leaves a call alone that it cannot serve.
. "$(dirname "$0")/case.sh"
library=$1
loaded=$(LD_PRELOAD="$library" sh -c "cat /proc/self/maps")
echo "$loaded" | grep -q "${library##*/}" || fail "$library was not preloaded"
echo "$loaded" | grep -E '/libmpi|/libmpich|/libpcomp-(mpich|openmpi)' && fail "an MPI was loaded into a process without one"

# A program that loads its MPI for itself alone: calls of MPI_Init meet the preloaded library, which must find the MPI.
cat > "$work/local.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *mpi = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*init)(int *, char ***) = dlsym(RTLD_DEFAULT, "MPI_Init"), (*end)(void) = dlsym(RTLD_DEFAULT, "MPI_Finalize");
    int (*initialized)(int *) = mpi ? dlsym(mpi, "MPI_Initialized") : 0, flag = 0;
    if (!mpi || !init || !end)
        return puts("no MPI"), 77;
    init(&argc, &argv);
    initialized(&flag);
    printf("initialized %d\n", flag);
    return end();
}
END
cc -w -o "$work/local" "$work/local.c" || fail "the program does not build"
LD_PRELOAD="$library" "$work/local" libmpich.so.12 < /dev/null > "$work/out" # Open MPI cannot be loaded like that
grep -qE '^(initialized 1|no MPI)$' "$work/out" || fail "an MPI loaded for the program alone was not initialized"
finish
